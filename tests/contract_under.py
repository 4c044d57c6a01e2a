"""The Keras contract under another backend, of the classes named or of all."""

import sys

import contract
import contract_cases
import keras

assert keras.backend.backend() != "tensorflow"
names = sys.argv[1:]
done = []
for case in contract_cases.LAYERS:
    if not names or case[0].__name__ in names:
        contract.run_layer_test(*case)
        done.append(case)
count = len(done)
for case in contract_cases.MODELS:
    if not names or case[0].__name__ in names:
        contract.run_model_test(*case, contract_cases.VOCABULARY)
        done.append(case)
if names:
    count = len({c[0] for c in done if not issubclass(c[0], keras.Model)})
    print(f"{count} layers, {len({c[0] for c in done}) - count} models")
else:
    print(f"{count} layers, {len(done) - count} models")
