import pytest
from absl import flags

from benchmarks.list_flags import define_names, define_numbers, numbers


@pytest.fixture
def holder(monkeypatch):
    """Flags of its own, in place of the process's."""
    values = flags.FlagValues()
    for name in ("DEFINE_list", "register_validator"):
        own = getattr(flags, name)
        monkeypatch.setattr(
            flags, name, lambda *x, own=own: own(*x, flag_values=values)
        )
    monkeypatch.setattr(flags, "FLAGS", values)
    return values


def test_numbers_are_read(holder):
    define_numbers("seeds", [0], "of training", least=0)
    define_numbers("rates", [1.0], "factors", float, 1e-9)
    define_numbers("lengths", [3, 4], "L", empty=True)
    holder(["program", "--seeds=3,1", "--lengths="])
    assert numbers("seeds") == [3, 1] and numbers("lengths") == []
    assert numbers("rates", float) == [1.0]


@pytest.mark.parametrize("wrong", ["x", "1,1", "-1", "", "1,x", "1.5"])
def test_what_are_no_different_numbers_is_told_with_the_flag(holder, wrong):
    define_numbers("seeds", [0], "of training", least=0)
    with pytest.raises(flags.Error, match="seeds=.*different numbers from 0"):
        holder(["program", f"--seeds={wrong}"])


@pytest.mark.parametrize("wrong", ["c", "a,c", "a,a"])
def test_names_are_of_the_choices(holder, wrong):
    define_names("models", [], ["a", "b"], "which")
    holder(["program", "--models=b,a"])
    assert holder.models == ["b", "a"]
    with pytest.raises(flags.Error, match="models=.*give some of a, b, each once"):
        holder(["program", f"--models={wrong}"])
