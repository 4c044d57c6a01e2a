import tensorflow as tf

from neural_gpu_tf.serving import translate_all


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
