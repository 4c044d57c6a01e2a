import os
import signal

import pytest

from neural_gpu_tf.training.interruption import Interruption


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_is_noted_and_the_second_acts_as_usual(number):
    told = []
    before = signal.signal(number, lambda *_: told.append(number))
    try:
        with Interruption() as interruption:
            assert interruption.signal is None
            os.kill(os.getpid(), number)
            assert interruption.signal == number
            assert told == []
            os.kill(os.getpid(), number)
            assert told == [number]
    finally:
        signal.signal(number, before)


def test_ctrl_c_twice_is_a_keyboard_interrupt():
    # A shell starts what runs in its background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), Interruption():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruption() as interruption:
            os.kill(os.getpid(), signal.SIGHUP)
        assert interruption.signal is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_it_leaves_things_as_they_were():
    handlers = [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)]
    with pytest.raises(ValueError), Interruption() as interruption:
        os.kill(os.getpid(), signal.SIGTERM)
        raise ValueError
    assert interruption.signal == signal.SIGTERM
    assert [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)] == handlers
