"""An export in a session, with TensorFlow alone, for `benchmarks.serve`.

python -m benchmarks.serve_in_session EXPORT THREADS

Reads lines of JSON, each a list of texts; answers each with one: the seconds that the
session took, and the texts. At the end of its input it tells the seconds until the
first answer, and its peak memory in bytes.
"""

import json
import resource
import sys
import time


def main() -> None:
    start = time.perf_counter()
    path, threads = sys.argv[1], int(sys.argv[2])
    import tensorflow as tf

    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads
    )
    load = None
    with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], path)
        signature = loaded.signature_def["serving_default"]
        text = signature.inputs["text"].name
        answer = signature.outputs["text"].name
        for line in sys.stdin:
            texts = json.loads(line)
            began = time.perf_counter()
            answers = session.run(answer, {text: texts})
            end = time.perf_counter()
            load = load or end - start
            said = [one.decode() for one in answers]
            print(json.dumps({"seconds": end - began, "text": said}), flush=True)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"load": load, "memory": 1024 * kilobytes}), flush=True)


if __name__ == "__main__":
    main()
