from benchmarks.report import RESULTS, with_section

OLD = "# One\n\nfigures 1\n\n| a |\n\n# Two\n\nfigures 2, # no title\n"


def test_a_section_takes_the_place_of_its_own():
    new = with_section(OLD, "# One\n\nfigures 3\n")
    assert new == "# One\n\nfigures 3\n\n# Two\n\nfigures 2, # no title\n"
    assert with_section(new, "# One\n\nfigures 1\n\n| a |\n") == OLD


def test_a_new_section_comes_last_and_all_else_stays():
    assert with_section(OLD, "# Three\n\nx\n") == OLD + "\n# Three\n\nx\n"
    assert with_section("", "# Three\n\nx\n") == "# Three\n\nx\n"
    results = RESULTS.read_text("utf-8")
    assert with_section(results, "# Three\n\nx\n") == results + "\n# Three\n\nx\n"
