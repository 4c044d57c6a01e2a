import keras

from neural_gpu_tf.optimizers import FusedAdam, build_optimizer
from neural_gpu_tf.options import TrainingConfig


def test_the_optimizers():
    options = dict(adam_beta_1=0.8, adam_beta_2=0.9, adam_epsilon=0.01)
    for name, kind in (("adam", FusedAdam), ("adamax", keras.optimizers.Adamax)):
        optimizer = build_optimizer(TrainingConfig(optimizer=name, **options))
        assert type(optimizer) is kind
        found = (optimizer.beta_1, optimizer.beta_2, optimizer.epsilon)
        assert found == (0.8, 0.9, 0.01)
        assert not optimizer.use_ema
    sgd = build_optimizer(TrainingConfig(optimizer="sgd", average_decay=0.9))
    assert type(sgd) is keras.optimizers.SGD
    assert sgd.use_ema and sgd.ema_momentum == 0.9
