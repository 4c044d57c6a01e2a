import math

import numpy as np
import pytest

from neural_gpu_tf.evaluation.line_chart import Line, line_chart

BLUE, ORANGE = (0, 104, 170), (204, 80, 0)
LINE = Line("one", [(0, 0), (10, 50), (20, 100)])


def pixels(lines, **options):
    return np.array(line_chart(lines, "step", "BLEU", **options))


def marks(picture, colour):
    """Centres (down, right) of the places where a colour is thick, left to right."""
    same = (picture == colour).all(-1)
    side = 7  # pixels: no line is so thick
    windows = np.lib.stride_tricks.sliding_window_view(same, (side, side))
    down, right = np.nonzero(windows.all((-2, -1)))
    groups = []
    for column, row in sorted(zip(right, down, strict=True)):
        if not groups or column - groups[-1][-1][1] > side:
            groups.append([])
        groups[-1].append((row, column))
    return [tuple(np.mean(group, axis=0)) for group in groups]


def plotted(picture, colour):
    """Marks below the legend."""
    return [place for place in marks(picture, colour) if place[0] > 50]


def test_points_lie_where_their_numbers_say():
    (y0, x0), (y1, x1), (y2, x2) = plotted(pixels([LINE]), BLUE)
    assert x1 - x0 == pytest.approx(x2 - x1, abs=1.5)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=1.5)
    assert y0 - y2 > 300 and x2 - x0 > 600  # they fill the plot
    uneven = pixels([Line("one", [(0, 0), (5, 100), (20, 25)])])
    (y0, x0), (y1, x1), (y2, x2) = plotted(uneven, BLUE)
    assert (x1 - x0) / (x2 - x0) == pytest.approx(1 / 4, abs=0.01)
    assert (y0 - y2) / (y0 - y1) == pytest.approx(1 / 4, abs=0.01)


def test_a_logarithmic_axis_has_equal_ratios():
    line = Line("one", [(0, 1), (1, 10), (2, 100), (3, 0), (4, -1)])
    (y0, _), (y1, _), (y2, _) = plotted(pixels([line], log=True), BLUE)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=1.5) and y0 - y1 > 100


def test_marks_alone_have_nothing_between_them():
    line = Line("one", [(x, 10 * x) for x in range(17)])
    joined, alone = (pixels([line], joined=x) for x in (True, False))
    assert len(plotted(joined, BLUE)) == 9 and len(plotted(alone, BLUE)) == 17
    (_, first), (_, second), *_ = plotted(alone, BLUE)
    between = round((first + second) / 2)
    assert (joined[60:, between] == BLUE).all(-1).any()
    assert not (alone[60:, between] == BLUE).all(-1).any()


def test_what_is_not_finite_is_left_out():
    holes = [(0, 0), (5, math.nan), (10, 50), (15, math.inf), (20, 100)]
    np.testing.assert_array_equal(pixels([Line("one", holes)]), pixels([LINE]))


def test_a_line_keeps_its_colour_and_place_in_the_legend():
    other = Line("two", [(0, 100), (20, 0)])
    both = pixels([LINE, other])
    assert len(plotted(both, BLUE)) == 3 and len(plotted(both, ORANGE)) == 2
    alone = pixels([Line("one", []), other])
    assert plotted(alone, BLUE) == [] and len(marks(alone, BLUE)) == 1
    assert plotted(alone, ORANGE) == plotted(both, ORANGE)


def test_any_name_is_in_the_legend():
    picture = pixels([Line("_baseline", []), Line("$x", [])])
    assert [len(marks(picture, colour)) for colour in (BLUE, ORANGE)] == [1, 1]


def test_lines_that_coincide_are_both_seen():
    same = pixels([LINE, LINE._replace(name="two")])
    for colour in (BLUE, ORANGE):
        assert (same[100:] == colour).all(-1).sum() > 300


def test_any_number_of_points_and_names_can_be_drawn():
    none, flat = [Line("none", [])], [Line("flat", [(0, 0), (1, 0)])]
    many = [Line("long " * 40, [(0, 1)]), *[LINE] * 12]
    ticks = {"x_ticks": {0: "0-9", 10: "10-19"}}
    for lines, options in (
        (none, {}),
        (none, {"log": True}),
        (flat, {"log": True}),  # it has no number that is drawn
        ([Line("one", [(3, 7)])], ticks),
    ):
        assert pixels(lines, **options).std() > 1
    tall, short = pixels(many, **ticks), pixels([LINE])
    assert tall.std() > 1
    assert tall.shape[0] > short.shape[0] and tall.shape[1] == short.shape[1]


def test_the_same_pixels_again_and_others_in_the_dark():
    light = pixels([LINE])
    np.testing.assert_array_equal(light, pixels([LINE]))
    assert light.mean() > 200 and pixels([LINE], dark=True).mean() < 55


@pytest.mark.parametrize("low, high", [(0.76, 1.14), (1.2, 1.9), (1.5, 60), (3, 40000)])
def test_a_logarithmic_axis_has_ticks_for_any_range(low, high):
    picture = pixels([Line("one", [(0, low), (1, high)])], log=True)
    paper = picture[60, -1]
    lined = ((picture != paper).any(-1).mean(1) > 0.7).astype(int)
    assert 3 <= (np.diff(lined) == 1).sum() <= 16  # lines of the grid
