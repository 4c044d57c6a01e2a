"""What each training technique brings: runs without it beside runs with all.

python -m benchmarks.ablation --out=DIR                    # configs/ablation.flags
python -m benchmarks.ablation --out=DIR --seeds=0 --seeds=1 --runs=FLAGFILE
python -m benchmarks.ablation --out=DIR --only=nothing --only=gradient_noise

Every run is one of `neural-gpu-train`, in a process of its own, one after the other;
all see equally many examples. The table tells where the curriculum came and what the
last validation found, one number a seed: the share of examples wholly right at each
length. Writes ablation.md to DIR after each run; what is there is not made again.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from absl import flags

from benchmarks.child_training import same_settings, train
from neural_gpu_tf.bin import app
from neural_gpu_tf.percent import percent

FLAGFILE = Path(__file__).parents[1] / "configs" / "ablation.flags"

_THREE = {"relaxations": "3", "relaxation_pull": "0.01"}
WITHOUT: dict[str, dict[str, str]] = {
    "nothing": {},
    "curriculum": {"curriculum": "false"},
    "curriculum, four lengths a step": {
        "curriculum": "false",
        "buckets": "4",
        "train_steps": "1000",
        "decay_from": "625",
    },
    "gradient_noise": {"gradient_noise": "0"},
    "gate_cutoff": {"gate_cutoff": "1"},
    "dropout": {"dropout": "0", "curriculum_dropout": "0"},
    "dropout that rises": {"dropout": "0.1"},
    "dropout_by_length": {
        "dropout_by_length": "false",
        "dropout": "0.16",
        "curriculum_dropout": "0.027",
    },
    "autoclip": {"autoclip": "0"},
    "hard_share": {"hard_share": "0"},
    "three sets of weights": _THREE,
    "six sets of weights": _THREE | {"relaxations": "6"},
}
"""The flags of each line: what it is without, or has in its place. 0.16 and 0.027 are
the dropout of the others at 14 symbols; four lengths in each of a quarter as many steps
are as many examples."""


def markdown(table: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    """The table: of each line the summaries, one a seed."""
    summaries = [summary for row in table.values() for summary in row]
    judged = [name for name in summaries[0] if name.startswith(("exact_", "hard_"))]
    titles = [name.replace("exact", "random").replace("_", " ") for name in judged]
    lines = [
        " | ".join(["| without, or with", "length reached", *titles, "seconds |"]),
        "| --- " * (len(judged) + 3) + "|",
    ]
    for name, row in table.items():
        cells = [", ".join(f"{summary['bits']:.0f}" for summary in row)]
        for value in judged:
            cells.append(", ".join(percent(summary[value]) for summary in row))
        cells.append(", ".join(f"{summary['train_seconds']:.0f}" for summary in row))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def ablation(
    out: Path, flagfile: Path, names: Sequence[str], seeds: Sequence[int]
) -> str:
    """Makes the runs that are not there, and writes the table of all after each."""
    for name in names:
        for seed in seeds:
            both = {"training_seed": seed, "curriculum_seed": seed}
            run_dir, given = out / f"{name} {seed}", [f"--flagfile={flagfile}"]
            train(run_dir, WITHOUT[name] | both, given)
            (out / "ablation.md").write_text(markdown(summaries(out)), "utf-8")
    return markdown(summaries(out))


def summaries(out: Path) -> dict[str, list[dict]]:
    """What the runs of a folder that are done came to, by line, in order of seeds."""
    table: dict[str, list[dict]] = {}
    for name in WITHOUT:
        ended = {
            int(path.parent.name.rpartition(" ")[2]): path
            for path in out.glob(f"{name} [0-9]*/summary.json")
        }
        if ended:
            texts = [ended[seed].read_text("utf-8") for seed in sorted(ended)]
            table[name] = list(map(json.loads, texts))
    return table


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    names = values.only or list(WITHOUT)
    same_settings(Path(values.out), {"runs": values.runs})
    print(ablation(Path(values.out), Path(values.runs), names, values.seeds))


if __name__ == "__main__":
    flags.DEFINE_string("runs", str(FLAGFILE), "flagfile of the runs with all")
    flags.DEFINE_multi_enum("only", [], list(WITHOUT), "lines of the table; empty: all")
    flags.DEFINE_multi_integer("seeds", [0, 1], "of training and of the examples")
    flags.DEFINE_string("out", None, "folder for the runs and the table")
    flags.mark_flag_as_required("out")
    app.run(main)
