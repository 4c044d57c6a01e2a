def test_the_page_of_the_shipped_models(run_binary, tmp_path):
    path = tmp_path / "play.html"
    answer = run_binary("play", "--pretrained=rev", f"--out={path}")
    assert (answer.status, answer.out) == (0, f"{path}: open it in a browser\n")
    assert '"name": "rev"' in path.read_text("utf-8")


def test_faults_are_one_line_and_status_2(run_binary, run_dir, tmp_path):
    for arguments, message in (
        ([f"--run_dir={run_dir}"], "translat"),
        (["--pretrained=rev", f"--out={tmp_path}/no/play.html"], "can't be written"),
        (["more"], "'more': not a flag"),
    ):
        answer = run_binary("play", *arguments)
        assert (answer.status, answer.out) == (2, "")
        assert message in answer.err and answer.err.count("\n") == 1, answer.err
