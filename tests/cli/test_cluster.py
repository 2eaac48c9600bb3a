"""`hornbeam cluster`: clusters told, compared with classes, saved and used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def test_clusters_are_told_and_compared(good: Any) -> None:
    out = good("cluster", "iris", "-k", "3").out
    assert "150 rows in 3 clusters" in out
    assert "11.3% of the rows are not of the class of their cluster; each class is matched with at most one" in out
    assert "purity 88.7% (rows of the most frequent class of their cluster)" in out
    plain = good("cluster", "iris", "-s", "em", "-k", "2", "--json").json
    assert len(plain["labels"]) == 150
    assert len(plain["clusters"]) == 2
    assert plain["classes"]["names"][0] == "Iris-setosa"
    labels = good("cluster", "iris", "-k", "2", "--labels").out.split()
    assert set(labels) == {"0", "1"}


def test_a_saved_model_assigns_new_rows(good: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "clusters.hornbeam")
    labels = good("cluster", "vote", "-k", "2", "--save", place, "--labels").out.split()
    assert good("predict", place, "vote").out.split() == ["cluster", *labels]
    assert "435 rows in 2 clusters" in good("show", place).out


def test_wrong_words_are_refused(bad: Any) -> None:
    assert "neither a whole number nor auto" in bad("cluster", "iris", "-k", "many").err
    assert "not an option of the scheme k-means" in bad("cluster", "iris", "--covariance-type", "full").err


def test_a_first_try_works(good: Any) -> None:
    out = good("cluster", "iris", "--scheme", "em", "-k", "auto", "--explain", "tree").out
    assert "clusters, log-likelihood" in out
    assert "classes to clusters (class was not used for clustering)" in out
    assert "what separates the clusters:" in out
    assert "% of 150 rows, held out in turn (10 folds); always the most frequent prediction" in out


def test_clusters_are_explained_by_rules_of_a_size(good: Any) -> None:
    plain = good("cluster", "vote", "-k", "2", "--explain", "rules", "--explain-size", "2", "--json").json
    told = plain["explanation"]
    assert len(told["model"]["rules"]) == 2
    assert told["fidelity"] == sum(told["confusion"][i][i] for i in range(2)) / 435
    assert told["folds"] == 10
    tree = good("cluster", "vote", "-k", "3", "--explain", "tree", "--explain-size", "3", "--json").json["explanation"]
    assert tree["model"]["leaves"] == 3


def test_styles(good: Any) -> None:
    assert "all rows" in good("cluster", "iris", "-k", "2", "--style", "table").out
    assert "cluster 1: " in good("cluster", "weather", "-s", "cobweb", "--style", "describe").out
    assert good("cluster", "iris", "-k", "2", "--style", "ascii").out.isascii()
    assert "elsewhere" in good("cluster", "weather", "-s", "hierarchical", "-k", "2").out


def test_pictures_are_drawn(good: Any, tmp_path: Path) -> None:
    place = tmp_path / "clusters.svg"
    for options, told in [
        (("-k", "2"), "component 1"),
        (("-k", "2", "--kind", "parallel", "--theme", "dark"), "<polyline"),
        (("-s", "hierarchical", "-k", "2"), "ward linkage"),
        (("-s", "hierarchical", "-k", "2", "--kind", "map"), "component 1"),
        (("-s", "cobweb", "--kind", "map"), "component 1"),
        (("-s", "spectral", "-k", "2"), "component 1"),
    ]:
        good("cluster", "weather", *options, "--picture", place)
        picture = place.read_text(encoding="utf-8")
        assert picture.startswith("<svg xmlns=")
        assert told in picture
        assert ('fill="#161B22"' in picture) == ("dark" in options)


def test_a_tree_is_cut_by_height_and_its_nodes_told(good: Any, bad: Any) -> None:
    out = good("cluster", "iris", "-s", "hierarchical", "--height", "2").out
    assert "cut at height 2: 3 clusters" in out
    assert "node 298, 150 rows" in out
    told = good("cluster", "iris", "-s", "hierarchical", "-k", "2", "--node", "297").out
    assert told.startswith("node 297, 100 rows")
    assert "relative to the rest" in told
    assert "there is no node 299" in bad("cluster", "iris", "-s", "hierarchical", "-k", "2", "--node", "299").err
    assert "one of the two" in bad("cluster", "iris", "-s", "hierarchical", "-k", "2", "--height", "2").err
    assert "not for k-means" in bad("cluster", "iris", "-k", "2", "--node", "3").err


def test_clear_words_on_what_cannot_be(good: Any, bad: Any, tmp_path: Path) -> None:
    assert "no file 'absent.csv'" in bad("cluster", "absent.csv").err
    assert "no scheme is called 'kmeans'; did you mean 'k-means'?" in bad("cluster", "iris", "-s", "kmeans").err
    assert ".svg" in bad("cluster", "iris", "--picture", "clusters.png").err
    assert "--kind needs --picture" in bad("cluster", "iris", "--kind", "map").err
    assert "--theme needs --picture" in bad("cluster", "iris", "--theme", "dark").err
    assert "--explain on one" in bad("cluster", "iris", "--restarts", "3", "--explain", "tree").err
    assert "not for em" in bad("cluster", "iris", "-s", "em", "--picture", "a.svg", "--kind", "dendrogram").err
    assert "needs --explain" in bad("cluster", "iris", "--explain-size", "3").err
    assert "finds the number of clusters itself" in bad("cluster", "iris", "-s", "cobweb", "-k", "3").err
    for scheme in ("k-means", "em", "hierarchical"):
        assert "14" in bad("cluster", "weather", "-s", scheme, "-k", "15").err
    same = tmp_path / "same.csv"
    same.write_text("a,b\n1,x\n1,x\n2,y\n2,y\n", encoding="utf-8")
    assert "only 2 different rows: that many clusters are made" in good("cluster", same, "-k", "3").err
    assert "no row is in cluster" in good("cluster", same, "-s", "em", "-k", "3").err
    one = tmp_path / "one.csv"
    one.write_text("a,b\n1,x\n", encoding="utf-8")
    for scheme in ("k-means", "em", "cobweb", "hierarchical"):
        assert "1 row" in good("cluster", one, "-s", scheme).out
    assert "at least two" in bad("cluster", one, "--explain", "tree").err
    gap = tmp_path / "gap.csv"
    gap.write_text("a,b\n1,x\n2,y\n?,?\n3,x\n", encoding="utf-8")
    for scheme in ("k-means", "em", "cobweb", "hierarchical"):
        assert "row 3 has no known value" in good("cluster", gap, "-s", scheme).err


def test_saved_clusters_are_shown_in_every_form(good: Any, tmp_path: Path) -> None:
    place = tmp_path / "clusters.hornbeam"
    good("cluster", "iris", "-k", "3", "--save", place)
    assert good("show", place, "--json").json["kind"] == "clusters"
    assert "all rows" in good("show", place, "--style", "table").out
    assert "component 1" in good("show", place, "--to", "map", "--data", "iris").out
    lines = tmp_path / "lines.svg"
    good("show", place, "--to", "parallel", "--data", "iris", "-o", lines)
    assert lines.read_text(encoding="utf-8").count("<polyline") == 150


def test_pictures_of_saved_clusters_need_rows(good: Any, bad: Any, tmp_path: Path) -> None:
    place = tmp_path / "model.hornbeam"
    good("cluster", "iris", "-k", "3", "--save", place)
    assert "give a table" in bad("show", place, "--to", "map").err
    assert "cluster_map draws clusters" in bad("show", place, "--to", "svg").err
    good("cluster", "iris", "-s", "hierarchical", "-k", "3", "--save", place)
    assert "component 1" in good("show", place, "--to", "map").out
    assert "ward linkage" in good("show", place, "--to", "svg").out
    good("learn", "iris", "--cv", "0", "--save", place)
    assert "clusters of a Tree" in bad("show", place, "--to", "parallel", "--data", "iris").err


def test_distributions_from_the_command_line(good: Any, bad: Any) -> None:
    asked = ("cluster", "cpu", "-s", "em", "-k", "2", "--prior", "conjugate")
    plain = good(*asked, "--distribution", "CHMIN", "poisson", "--distribution", "MMAX", "log-normal:0", "--json").json
    told = {one["column"]: one for one in plain["distributions"][0]}
    assert set(told["CHMIN"]["parameters"]) == {"rate"}
    assert told["MMAX"]["parameters"]["minimum"] == 0
    assert "MMAX: log-normal above 0" in good(*asked, "--distribution", "MMAX", "log-normal").out
    assert "not a number after 'log-normal'" in bad(*asked, "--distribution", "MMAX", "log-normal:low").err
    assert "column 'CHMIN', row" in bad(*asked, "--distribution", "CHMIN", "log-normal:0").err
    plain = good("cluster", "vote", "-s", "em", "-k", "2", "--joint", "crime,immigration", "--json").json
    assert "immigration & crime" in [one["column"] for one in plain["distributions"][1]]


def test_concepts_are_drawn_with_the_names_of_the_rows(good: Any, bad: Any, tmp_path: Path) -> None:
    path = tmp_path / "animals.csv"
    path.write_text("animal,hair,legs\ndog,yes,4\nhen,no,2\ncat,yes,4\nduck,no,2\n", encoding="utf-8")
    picture, page = tmp_path / "tree.svg", tmp_path / "page.html"
    told = good(
        "cluster", path, "-s", "cobweb", "--names", "animal", "--picture", picture, "--report", page, "--acuity", 0.5
    ).out
    assert "dog" in told
    assert "duck" in picture.read_text(encoding="utf-8")
    written = page.read_text(encoding="utf-8")
    command = "hornbeam cluster animals.csv --scheme cobweb --seed 1 --names animal --acuity 0.5 --report page.html"
    assert command in written
    assert str(tmp_path) not in written
    assert "--names is for --scheme cobweb" in bad("cluster", path, "--names", "animal").err
    assert "--kind tree is for --scheme cobweb" in bad("cluster", path, "--kind", "tree", "--picture", picture).err
    assert "ends in '.pdf'" in bad("cluster", path, "--report", "x.pdf").err


def test_densities_of_a_mixture_are_drawn(good: Any, bad: Any, tmp_path: Path) -> None:
    picture = tmp_path / "d.svg"
    good("cluster", "iris", "-s", "em", "-k", 3, "--picture", picture, "--kind", "densities")
    assert "component 2" in picture.read_text(encoding="utf-8")
    assert (
        "--kind densities is for --scheme em" in bad("cluster", "iris", "--picture", picture, "--kind", "densities").err
    )
