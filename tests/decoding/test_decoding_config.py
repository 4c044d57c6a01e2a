import dataclasses

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig


@pytest.mark.parametrize("sizes", ["", "some", "1", "0", "-3", "2.5", "²"])
def test_sizes_must_be_all_or_a_number_from_2(sizes):
    with pytest.raises(InputError, match=f"sizes={sizes}: .*choose all or"):
        DecodingConfig(sizes=sizes)


@pytest.mark.parametrize(
    "name, value",
    [
        ("max_size_ratio", 0.9),
        ("max_size_ratio", float("inf")),
        ("size_margin", -1),
        ("tried_sizes", 0),
        ("max_source_length", 0),
        ("max_source_length", 2**31),
        ("decode_cells", 0),
        ("beam", 0),
        ("n_best", 0),
        ("length_penalty", -0.1),
        ("length_penalty", float("inf")),
        ("coverage_penalty", float("inf")),
        ("coverage_penalty", -0.1),
        ("coverage_penalty", float("nan")),
    ],
)
def test_numbers_that_are_too_small_or_no_size_are_refused(name, value):
    with pytest.raises(InputError, match=f"{name}={value}"):
        DecodingConfig(**{name: value})


@pytest.mark.parametrize(
    "name, value", [("size_margin", 2**31 - 5), ("max_size_ratio", 1e9)]
)
def test_canvases_that_cannot_be_counted_are_refused(name, value):
    with pytest.raises(InputError, match=f"^max_source_length=60: .*{name}={value}"):
        DecodingConfig(**{name: value})


def test_no_more_outputs_than_the_beam_is_wide():
    DecodingConfig(beam=3, n_best=3)
    with pytest.raises(InputError, match="n_best=4: more than beam=3"):
        DecodingConfig(beam=3, n_best=4)


def test_every_field_has_help():
    assert all(f.metadata["help"] for f in dataclasses.fields(DecodingConfig))


def test_a_change_that_does_nothing_is_refused():
    config = DecodingConfig(tried_sizes=9)  # a run's own may have one
    assert config.changed({"sizes": "predicted", "tried_sizes": 2}).tried_sizes == 2
    assert config.changed({"sizes": "predicted"}).changed({"tried_sizes": 3})
    assert config.changed({"beam": 2}).tried_sizes == 9
    with pytest.raises(InputError, match="^tried_sizes=2: does nothing with sizes=all"):
        config.changed({"tried_sizes": 2})
