"""CGRU layers in a Keras model of your own, which learns to copy rows of symbols."""

import keras
import numpy as np

import neural_gpu_tf as ng

symbols = keras.Input([None], dtype="int32")
canvas = ng.FirstRow(width=2)(keras.layers.Embedding(12, 24)(symbols))
canvas = ng.CGRU(24, kernel_size=3)(canvas)  # one convolutional GRU, then another
canvas = ng.CGRU(24, kernel_size=(5, 1), cutoff=1.0)(canvas)
logits = keras.layers.Dense(12)(canvas[:, :, 0])
model = keras.Model(symbols, logits)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
rows = np.random.default_rng(0).integers(0, 12, (512, 9))
model.fit(rows, rows, epochs=3, verbose=2)
model.save("cgru.keras")
same = np.array_equal(keras.models.load_model("cgru.keras")(rows), model(rows))
print("the same outputs:", same)
