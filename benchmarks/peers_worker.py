"""One way to translate, in a process of its own, for `benchmarks.peers`.

python -m benchmarks.peers_worker KIND PATH THREADS BEAM VOCABULARY

KIND is "session" (TensorFlow alone), "onnx", "litert", "litert_int8" or "ctranslate2".
Reads lines of JSON, each a list of texts; answers each with one: the translations, and
the seconds that they took from text to text, the clock's and the processor's. At the
end of its input it tells the processor's seconds from its start to the first answer,
and its peak memory in bytes.

All but the session, whose graph reads and writes text itself, do so by
`benchmarks.naive_tokenizer`, plain Python, and import no TensorFlow.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks.peak_memory import peak_memory

Translate = Callable[[Sequence[str]], list[str]]
LONGEST = 2.0  # symbols of a translation for one of the source
LEAST = 10


def session(path: str, threads: int, beam: int, vocabulary: str) -> Translate:
    """A SavedModel; the beam is in it."""
    from benchmarks.session import ExportSession

    loaded = ExportSession(path, threads)

    def translate(texts: Sequence[str]) -> list[str]:
        answers = loaded("serving_default", {"text": texts})["text"]
        return [one.decode() for one in answers]

    return translate


def onnx(path: str, threads: int, beam: int, vocabulary: str) -> Translate:
    """The decoder in ONNX Runtime; the beam is in it."""
    import numpy as np
    import onnxruntime

    from benchmarks.naive_tokenizer import NaiveTokenizer
    from benchmarks.peers_tokens import PlainVocabulary, padded

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    loaded = onnxruntime.InferenceSession(
        f"{path}/model.onnx", options, providers=["CPUExecutionProvider"]
    )
    tokenizer = NaiveTokenizer(PlainVocabulary.load(vocabulary))

    def translate(texts: Sequence[str]) -> list[str]:
        rows = [tokenizer.tokenize(text) for text in texts]
        length = np.array([len(row) for row in rows], np.int32)
        source = np.array(padded(rows), np.int32)
        (symbols,) = loaded.run(["symbols"], {"source": source, "length": length})
        return [tokenizer.detokenize(row) for row in symbols.tolist()]

    return translate


def litert(path: str, threads: int, beam: int, vocabulary: str) -> Translate:
    """The decoder in LiteRT, one sentence after the other; the beam is in it."""
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter

    from benchmarks.naive_tokenizer import NaiveTokenizer
    from benchmarks.peers_tokens import PlainVocabulary

    runner = Interpreter(
        f"{path}/model.tflite", num_threads=threads
    ).get_signature_runner()
    tokenizer = NaiveTokenizer(PlainVocabulary.load(vocabulary))

    def one(text: str) -> str:
        row = tokenizer.tokenize(text) or [0]
        length = np.array([len(row)], np.int32)
        answer = runner(source=np.array([row], np.int32), length=length)
        return tokenizer.detokenize(answer["symbols"][0].tolist())

    return lambda texts: [one(text) for text in texts]


def ctranslate2(path: str, threads: int, beam: int, vocabulary: str) -> Translate:
    """The Transformer of `peers_convert`; the folder's name is the type of numbers."""
    import ctranslate2

    from benchmarks.naive_tokenizer import NaiveTokenizer
    from benchmarks.peers_tokens import PlainVocabulary

    kind = path.rstrip("/").rsplit("/", 1)[-1]
    loaded = ctranslate2.Translator(path, compute_type=kind, intra_threads=threads)
    known = PlainVocabulary.load(vocabulary)
    tokenizer, symbols = NaiveTokenizer(known), known.symbols
    numbers = {symbol: number for number, symbol in enumerate(symbols)}

    def translate(texts: Sequence[str]) -> list[str]:
        rows = [[symbols[i] for i in tokenizer.tokenize(text)] for text in texts]
        longest = LEAST + int(LONGEST * max(map(len, rows)))
        results = loaded.translate_batch(
            [[*row, "<eos>"] for row in rows],
            beam_size=beam,
            max_decoding_length=longest,
        )
        said = [[numbers[x] for x in result.hypotheses[0]] for result in results]
        return [tokenizer.detokenize(row) for row in said]

    return translate


KINDS = {
    "session": session,
    "onnx": onnx,
    "litert": litert,
    "litert_int8": litert,
    "ctranslate2": ctranslate2,
}


def main() -> None:
    kind, path, threads, beam, vocabulary = sys.argv[1:]
    translate, load = KINDS[kind](path, int(threads), int(beam), vocabulary), None
    for line in sys.stdin:
        texts = json.loads(line)
        began, worked = time.perf_counter(), time.process_time()
        said = translate(texts)
        end, worked = time.perf_counter(), time.process_time() - worked
        load = load or time.process_time()
        told = {"seconds": end - began, "processor": worked, "text": said}
        print(json.dumps(told), flush=True)
    print(json.dumps({"load": load, "memory": peak_memory()}), flush=True)


if __name__ == "__main__":
    main()
