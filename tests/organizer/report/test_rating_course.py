"""The picture of a rating over time: its lines stay on the scale and say in words what they show."""

from arena.organizer.report.rating_charts import BOTTOM, LEFT, TOP, WIDTH, CoursePoint, build_rating_course


def point(hour: int, rating: float, reach: float | None = 50.0) -> CoursePoint:
    ends = (None, None) if reach is None else (rating - reach, rating + reach)
    return CoursePoint(3_600.0 * hour, rating, *ends)


def test_without_points_there_is_no_picture():
    assert build_rating_course({}) is None
    assert build_rating_course({"1": []}) is None


def test_each_version_has_a_line_from_its_first_point_to_its_last():
    course = build_rating_course({"1": [point(0, 1500), point(1, 1510)], "2": [point(1, 1510), point(2, 1600)]})

    assert course is not None
    first, second = course.lines
    assert (first.version, second.version) == ("1", "2")
    assert first.line.startswith(f"M{LEFT} ")
    assert second.end[0] == WIDTH - 10
    assert second.words == "rating 1 510 at 1970-01-01 01:00 UTC, 1 600 (1 550 to 1 650) at 1970-01-01 02:00 UTC"
    assert [tick.value for tick in course.times] == [0.0, 7_200.0]


def test_open_interval_reaches_the_edges():
    course = build_rating_course({"": [point(0, 1500, None), point(1, 1500)]})

    assert course is not None
    assert course.lines[0].band.startswith(f"M{LEFT} {TOP}L")
    assert course.lines[0].band.endswith(f"L{LEFT} {BOTTOM}Z")


def test_one_point_is_a_dot():
    course = build_rating_course({"": [point(5, 1500)]})

    assert course is not None
    assert LEFT < course.lines[0].end[0] < WIDTH
    assert len(course.times) == 1


def test_long_course_has_few_points_with_the_first_and_the_last():
    course = build_rating_course({"": [point(hour, 1500 + hour) for hour in range(5_000)]})

    assert course is not None
    assert course.lines[0].line.count("L") == 199
    assert "rating 1 500 at" in course.lines[0].words
    assert "6 499" in course.lines[0].words
