#!/bin/sh
# Trains, evaluates, exports and serves English numbers and dates in French.
# Called by `make demo`; everything but the last line of JSON goes to standard error.
set -eu
run=${1:-runs/demo}
flags=configs/demo.flags

neural-gpu-train --flagfile=$flags --run_dir="$run"
neural-gpu-fit-sizes --run_dir="$run" --examples=2000 >&2
neural-gpu-evaluate --run_dir="$run" --json > "$run/evaluation.json"
rm -rf "$run/export"
neural-gpu-export --run_dir="$run" --export_dir="$run/export" >&2

{
  echo
  echo "Five translations through the exported SavedModel, $run/export/1:"
  sentences="ninety-six
four thousand and eighty-three
nine thousand, nine hundred and ninety-nine
July 14, 1989
February 29, 2040"
  echo "$sentences" > "$run/five.en"
  neural-gpu-translate --export_dir="$run/export/1" < "$run/five.en" > "$run/five.fr"
  paste -d '|' "$run/five.en" "$run/five.fr" | sed 's/|/  ->  /; s/^/  /'
  cat <<END

What next:
  . .venv/bin/activate
  tensorboard --logdir $run                          curves, translations, the graph
  echo 'May 5, 2031' | neural-gpu-translate --run_dir=$run
  neural-gpu-train --config=small --data_dir=DIR --run_dir=runs/mine
      your own text in minutes; DIR has train.source, train.target,
      validation.source and validation.target, a sentence a line
  neural-gpu-train --help                            every option
  docker run -p 127.0.0.1:8501:8501 -v "\$PWD/$run/export:/models/demo" \\
    -e MODEL_NAME=demo tensorflow/serving:2.21.0     serve it

END
} >&2
python - "$run" <<'END'
import json, pathlib, sys

run = pathlib.Path(sys.argv[1])
last = (run / "evaluation.json").read_text("utf-8").splitlines()[-1]
seconds = json.loads((run / "summary.json").read_text("utf-8"))["train_seconds"]
result = {**json.loads(last), "train_seconds": round(seconds, 1)}
print(json.dumps(result))
END
