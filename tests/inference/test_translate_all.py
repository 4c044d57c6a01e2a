import tensorflow as tf

from neural_gpu_tf.inference import translate_all


class Shouting:
    """A stand-in for a translator; notes the batches."""

    def __init__(self):
        self.batches = []

    def __call__(self, text):
        self.batches.append([len(t) for t in text.numpy().tolist()])
        sizes = tf.strings.length(text)
        return {
            "size": sizes,
            "log_probability": -tf.cast(sizes, tf.float32),
            "text": tf.strings.upper(text, encoding="utf-8"),
        }


def test_answers_in_order_from_batches_of_similar_lengths():
    texts = ["é" * (7 * i % 10) for i in range(10)]
    translate = Shouting()
    answers = translate_all(translate, texts, batch_size=4)
    assert [answer.text for answer in answers] == [text.upper() for text in texts]
    assert [answer.size for answer in answers] == [len(text.encode()) for text in texts]
    assert answers[3].log_probability == -answers[3].size
    assert translate.batches == [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18]]


def test_takes_bytes_and_nothing():
    assert translate_all(Shouting(), ["é".encode()])[0].text == "É"
    assert translate_all(Shouting(), []) == []


def test_the_best_of_each_text_with_their_scores():
    def translate(text):
        answer = Shouting()(text)
        texts = tf.stack([answer["text"], text], axis=1)
        scores = tf.stack([answer["log_probability"], answer["log_probability"] - 1], 1)
        return {**answer, "n_best_text": texts, "n_best_score": scores}

    answers = translate_all(translate, ["éa", "b"])
    assert answers[0].n_best == ((-3, "ÉA"), (-4, "éa"))
    assert answers[1].n_best == ((-1, "B"), (-2, "b"))
    assert translate_all(Shouting(), ["a"])[0].n_best == ()
