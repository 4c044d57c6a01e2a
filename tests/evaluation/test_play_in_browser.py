"""The page that computes in a browser, against the package itself."""

import html
import json
import re

import numpy as np
import pytest
import tiny
from browser import NEEDS_CHROMIUM, shown, written

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.play_page import play_page
from neural_gpu_tf.inference import Solver, solve_text
from neural_gpu_tf.models import DiagonalNeuralGPU
from neural_gpu_tf.pretrained_models import pretrained_run, pretrained_solvers
from neural_gpu_tf.runs import load_task_run
from neural_gpu_tf.tasks import TASKS, ListTask, StringTask

SOME = ("badd", "sort", "cycle-navigation")  # numbers, lists, strings
SPOILED = ["", "12", "1 +", "1 + 2", "1 + 4", "1 + a", "abc!", "1 + 1 + 1"]
ASK = """<script>
const found = [];
for (const [name, text] of {questions}) {{
  const model = MODELS.find(model => model.name === name), source = read(model, text);
  if (!source) {{ found.push(null); continue; }}
  const work = solving(model, source);
  let next = work.next();
  while (!next.done) next = work.next();
  const {{ memory, said }} = next.value;
  const last = memory[memory.length - 1];
  found.push([write(model, said), exact(model, text), source.length,
              memory.length, last.reduce((a, b) => a + Math.abs(b), 0)]);
}}
document.body.innerHTML = "<pre>" + JSON.stringify(found) + "</pre>";
</script></html>"""

READ = """<script>
const found = QUESTIONS.map(([name, text]) => {
  const model = MODELS.find(model => model.name === name), source = read(model, text);
  return source && [source, write(model, source), exact(model, text)];
});
document.body.innerHTML = "<pre>" + JSON.stringify(found) + "</pre>";
</script></html>"""

TELL = """<script>
const told = [];
(async () => {
  byId("model").selectedIndex = MODELS.findIndex(model => model.name === "badd");
  byId("question").value = "1 + 1";
  compute(false);
  while (!byId("answer").textContent) {
    const now = byId("progress").textContent;
    if (told.at(-1) !== now) told.push(now);
    await new Promise(done => setTimeout(done));
  }
  document.body.innerHTML = "<pre>" + JSON.stringify(told) + "</pre>";
})();
</script></html>"""

EDIT = """<script>
const state = () => [
  byId("answer").textContent, byId("judged").textContent,
  byId("panels").childElementCount, decodeURIComponent(location.hash)];
const found = [];
(async () => {
  const answered = async () => {
    while (!byId("answer").textContent) await new Promise(done => setTimeout(done));
    found.push(state());
  };
  compute(false);
  await answered();
  byId("question").value = "1 + 11";
  byId("question").dispatchEvent(new Event("input"));
  found.push(state());
  byId("form").requestSubmit();
  await answered();
  document.body.innerHTML = "<pre>" + JSON.stringify(found) + "</pre>";
})();
</script></html>"""

FRAME = """<body><iframe srcdoc="{page}" width="320" height="700" style="border:0">
</iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument;
  page.getElementById("judged").textContent = "0".repeat(300);
  page.querySelector("option").textContent = "multiply numbers of any widths".repeat(3);
  const root = page.documentElement, found = [root.clientWidth, root.scrollWidth];
  document.body.innerHTML = "<pre>" + JSON.stringify(found) + "</pre>";
}});
</script>"""


@pytest.fixture(scope="module")
def runs():
    return {name: load_task_run(pretrained_run(name)) for name in pretrained_solvers()}


@pytest.fixture(scope="module")
def page(runs):
    return play_page({name: (run.model, run.task) for name, run in runs.items()})


@pytest.fixture(scope="module")
def short_page(runs):
    """The page of two models, which opens quicker."""
    return play_page({x: (runs[x].model, runs[x].task) for x in ("badd", "bmul")})


def computed(page, script, path):
    """What a script at the end of the page writes."""
    path.write_text(page.replace("</html>", script), "utf-8")
    return written(f"file://{path}")


@NEEDS_CHROMIUM
@pytest.mark.parametrize("names", [SOME, pytest.param(None, marks=pytest.mark.slow)])
def test_it_answers_as_the_package_does(runs, names, page, tmp_path):
    """Of all tasks, also where the model is wrong."""
    rng, questions, last = np.random.default_rng(0), [], {}
    runs = {name: runs[name] for name in names or runs}
    for name, run in runs.items():
        for bits in (1, 7, *([70] if name == "sort" else [])):
            source, _ = run.task.generate(rng, run.task.canvas(bits), 2)
            questions += [[name, run.task.format(row)] for row in source]
        last[name] = questions[-1][1]
        questions += [[name, text] for text in SPOILED]
    script = ASK.format(questions=json.dumps(questions))
    answers = computed(page, script, tmp_path / "ask.html")
    solvers = {name: Solver(run.model) for name, run in runs.items()}
    right = []
    for (name, text), answer in zip(questions, answers, strict=True):
        run = runs[name]
        try:
            source = run.task.parse(text)
        except InputError:
            assert answer is None, (name, text)
            continue
        expected = solve_text(solvers[name], run.task, text)
        assert answer[:4] == [*expected, len(source), len(source) + 1], (name, text)
        if text == last[name]:
            canvas = run.model.encode(source[None], run.task.size(source[None]))
            assert answer[4] == pytest.approx(np.abs(canvas).sum(), rel=1e-3)
        right.append(expected.answer == expected.exact)
    assert sum(right) > (10 if names else 25)
    assert names or not all(right)


@NEEDS_CHROMIUM
def test_it_reads_and_answers_strings_as_the_tasks_do(tmp_path):
    """Questions of each task, and what a slip of one character makes of them."""
    tasks = {name: x for name, x in TASKS.items() if isinstance(x, StringTask)}
    rng, questions = np.random.default_rng(0), []
    for name, task in tasks.items():
        for length in [*range(task.shortest, 13), 60]:
            legal = task.legal(length)
            drawn = task.draw_text(rng, legal), task.hard_text(rng, legal, length)
            for text in drawn:
                place = int(rng.integers(len(text)))
                slip = [*"ab01?.+-*()x=q", ""][rng.integers(15)]
                spoiled = text[:place] + slip + text[place + 1 :]
                questions += [(name, f" {text} "), (name, spoiled)]
    models = {
        name: (DiagonalNeuralGPU(task.vocabulary_size, maps=3, width=1), task)
        for name, task in tasks.items()
    }
    script = READ.replace("QUESTIONS", json.dumps(questions))
    found = computed(play_page(models), script, tmp_path / "read.html")
    refused = 0
    for (name, text), answer in zip(questions, found, strict=True):
        try:
            source = tasks[name].parse(text)
        except InputError:
            assert answer is None, (name, text)
            refused += 1
            continue
        exact = tasks[name].answer(text)
        assert answer == [source.tolist(), "".join(text.split()), exact], (name, text)
    assert len(questions) / 8 < refused < len(questions) / 2


@NEEDS_CHROMIUM
def test_it_reads_and_writes_lists_as_their_tasks_do(tmp_path):
    """Their columns are not always a multiple of the symbols."""
    tasks = {name: x for name, x in TASKS.items() if isinstance(x, ListTask)}
    for name in ("copy", "repeat-copy", "search"):
        del tasks[name]
    rng, models, questions = np.random.default_rng(0), {}, []
    for name, task in tasks.items():
        models[name] = DiagonalNeuralGPU(task.vocabulary_size, maps=3, width=1), task
        source, _ = task.generate(rng, task.canvas(6), 1)
        texts = "12 3", "1 234", "123", "1 0\t1", "0", "010", "a3", "3#", " ", ""
        questions += [(name, text) for text in (task.format(source[0]), *texts)]
    script = READ.replace("QUESTIONS", json.dumps(questions))
    found = computed(play_page(models), script, tmp_path / "read.html")
    for (name, text), answer in zip(questions, found, strict=True):
        try:
            source = tasks[name].parse(text)
        except InputError:
            assert answer is None, (name, text)
            continue
        written = tasks[name].format_target(source)
        assert answer[:2] == [source.tolist(), written], (name, text)
    assert 20 < found.count(None) < len(found) - 20


@NEEDS_CHROMIUM
def test_what_the_address_asks_is_answered_and_drawn(short_page, tmp_path):
    path = tmp_path / "play.html"
    path.write_text(short_page, "utf-8")
    found = shown(f"file://{path}#bmul:1101 x 1011")
    assert '<output id="answer">10001111</output>' in found
    assert "✓ right" in found and found.count("<canvas") == 6
    assert "Write it like this: 110101" in shown(f"file://{path}#badd:100%")
    found = shown(f"file://{path}#badd:1+")
    assert "Write it like this: 110101 + 1011" in found and "<canvas" not in found


@NEEDS_CHROMIUM
def test_a_wide_memory_is_drawn_in_part(short_page, tmp_path):
    """Of 30 rows by 29 columns of 96 maps no more than is kept; the last among them."""
    path, kept = tmp_path / "play.html", "const KEPT = 2 ** 26"
    assert kept in short_page
    path.write_text(short_page.replace(kept, "const KEPT = 29 * 96 * 10"), "utf-8")
    found = shown(f"file://{path}#badd:11010110101101 + 10101101010111")
    assert "✓ right" in found
    assert len(re.findall('width="29" height="11"', found)) == 6


@NEEDS_CHROMIUM
def test_it_tells_how_far_it_is_between_slices_of_its_work(short_page, tmp_path):
    assert "const SLICE = 30" in short_page
    page = short_page.replace("const SLICE = 30", "const SLICE = -1")  # a step each
    assert computed(page, TELL, tmp_path / "tell.html") == [
        "step 1 of 3",
        "step 2 of 3",
        "step 3 of 3",
    ]


@NEEDS_CHROMIUM
def test_an_answer_stands_only_beside_its_question(short_page, tmp_path):
    """And the address is that of the last question."""
    first, edited, asked = computed(short_page, EDIT, tmp_path / "edit.html")
    assert first == ["1000000", "✓ right", 6, ""]
    assert edited == ["", "", 0, ""]
    assert asked == ["100", "✓ right", 6, "#badd:1 + 11"]


@NEEDS_CHROMIUM
def test_it_is_as_wide_as_a_phone(short_page, tmp_path):
    path = tmp_path / "frame.html"
    path.write_text(FRAME.format(page=html.escape(short_page)), "utf-8")
    width, content = written(f"file://{path}")
    assert 300 <= width <= 320 and content == width  # a scroll bar may stand beside


def test_nothing_in_it_comes_from_elsewhere(page):
    assert not re.search(r"(src|href)=|https?://", page)
    assert page.count("</script>") == 2


@pytest.mark.parametrize(
    ("model", "task", "message"),
    [
        (tiny.model, "badd", "mine: ExtendedNeuralGPU on badd"),
        (
            lambda: DiagonalNeuralGPU(6, maps=6),
            "mulbcd",
            "on mulbcd; the page computes",
        ),
        (lambda: DiagonalNeuralGPU(17, maps=6), "addz", "on addz; the page computes"),
        (lambda: DiagonalNeuralGPU(17, maps=6), "repeat-copy", "on repeat-copy; the"),
        (lambda: DiagonalNeuralGPU(17, maps=6), "search", "on search; the page"),
        (lambda: DiagonalNeuralGPU(17, maps=6, width=2), "badd", "on a width of 1"),
    ],
)
def test_what_it_can_not_compute(model, task, message):
    with pytest.raises(InputError, match=message):
        play_page({"mine": (model(), TASKS[task])})


def test_quantized_weights_and_few_lengths_are_refused():
    task = TASKS["badd"]
    model = DiagonalNeuralGPU(task.vocabulary_size, maps=8, width=1)
    model.quantize("int8")
    with pytest.raises(InputError, match="with float weights, and these are quantized"):
        play_page({"mine": (model, task)})

    class Long(type(TASKS["reverse-string"])):
        shortest = 40

    task = Long("long")
    model = DiagonalNeuralGPU(task.vocabulary_size, maps=3, width=1)
    with pytest.raises(InputError, match="on long; the page computes"):
        play_page({"mine": (model, task)})
