import shutil

from neural_gpu_tf.pretrained_models import pretrained_run, pretrained_solvers


def test_the_page_of_the_shipped_models(run_binary, tmp_path):
    path = tmp_path / "play.html"
    answer = run_binary("play", "--pretrained=rev", f"--out={path}")
    assert (answer.status, answer.out) == (0, f"{path}: open it in a browser\n")
    assert '"name": "rev"' in path.read_text("utf-8")


def test_the_package_page_has_all_that_solve(run_binary, tmp_path):
    path = tmp_path / "play.html"
    assert run_binary("play", f"--out={path}").status == 0
    page = path.read_text("utf-8")
    assert all(f'"name": "{name}"' in page for name in pretrained_solvers())


def test_runs_of_one_name_keep_apart(run_binary, tmp_path):
    for folder, name in (("a", "rev"), ("b", "bsort")):
        shutil.copytree(pretrained_run(name), tmp_path / folder / "run")
    path, runs = tmp_path / "play.html", [tmp_path / "a/run", tmp_path / "b/run"]
    answer = run_binary("play", *(f"--run_dir={x}" for x in runs), f"--out={path}")
    assert answer.status == 0, answer.err
    page = path.read_text("utf-8")
    for run, task in zip(runs, ("rev", "bsort"), strict=True):
        assert f'"name": "{run}", "task": "{task}"' in page


def test_faults_are_one_line_and_status_2(run_binary, run_dir, tmp_path):
    for arguments, message in (
        ([f"--run_dir={run_dir}"], "translat"),
        (["--pretrained=rev", f"--out={tmp_path}/no/play.html"], "can't be written"),
        (["more"], "'more': not a flag"),
    ):
        answer = run_binary("play", *arguments)
        assert (answer.status, answer.out) == (2, "")
        assert message in answer.err and answer.err.count("\n") == 1, answer.err
