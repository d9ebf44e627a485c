"""Image sets of a study: corrupted, read from a release, unrecognisable, novel.

INPUTS: the study's images in a view, the releases that the study names
OUTPUTS: <study>/images/{view}/{test}/{corruption|recipe|novel}/
"""


rule corrupt_images:
    """Corrupt the study's images at the severities of a family, seeded image by image."""
    input:
        card="<clean>/{view}/card.json",
        raw=fetched("{corruption}"),
        item=code("corruptions", "{corruption}"),
        code=code_of("workflow_scripts/corrupt_images.py"),
    output:
        images="<study>/images/{view}/{test}/{corruption}/images.npy",
        index="<study>/images/{view}/{test}/{corruption}/index.parquet",
        card="<study>/images/{view}/{test}/{corruption}/card.json",
    log:
        "<study>/logs/corrupt_images/{view}/{test}/{corruption}.log",
    benchmark:
        "<study>/benchmarks/corrupt_images/{view}/{test}/{corruption}.tsv"
    wildcard_constraints:
        test=one_of(BUILT),
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(4 * 60),
    params:
        family=value_of("{test}/family", within=TESTS),
        storage=value_of("{test}/storage", within=TESTS, default="array"),
        n=value_of("counts/corrupt", within=config, default=0),
        seed=config["seed"],
    script:
        "../workflow_scripts/corrupt_images.py"


rule read_published:
    """Read a corruption of a published set, for the images of the study."""
    input:
        card="<clean>/{view}/card.json",
        item=code("images/published", value_of("{test}/family", within=TESTS)),
        code=code_of("workflow_scripts/read_published.py"),
    output:
        images="<study>/images/{view}/{test}/{corruption}/images.npy",
        index="<study>/images/{view}/{test}/{corruption}/index.parquet",
        card="<study>/images/{view}/{test}/{corruption}/card.json",
    log:
        "<study>/logs/read_published/{view}/{test}/{corruption}.log",
    benchmark:
        "<study>/benchmarks/read_published/{view}/{test}/{corruption}.tsv"
    wildcard_constraints:
        test=one_of(PUBLISHED),
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(2 * 60),
    params:
        release=value_of("{test}/family", within=TESTS),
        raw=published_folder,
        looks=published_looks,
        n=value_of("counts/corrupt", within=config, default=0),
        seed=config["seed"],
        side=value_of("{view}/size", within=CATALOGUE["views"], default=None),
    script:
        "../workflow_scripts/read_published.py"


rule build_unrecognisable:
    """Make images that show nothing, some of them out of the study's own images."""
    input:
        card="<clean>/{view}/card.json",
        item=code("images/unrecognisable", "{recipe}"),
        code=code_of("workflow_scripts/build_unrecognisable.py"),
    output:
        images="<study>/images/{view}/{test}/{recipe}/images.npy",
        index="<study>/images/{view}/{test}/{recipe}/index.parquet",
        card="<study>/images/{view}/{test}/{recipe}/card.json",
    log:
        "<study>/logs/build_unrecognisable/{view}/{test}/{recipe}.log",
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        n=value_of("counts/unrecognisable", within=config, default=0),
        seed=config["seed"],
    script:
        "../workflow_scripts/build_unrecognisable.py"


rule build_novel:
    """Bring images of classes that no model was trained on to the shape of the study's images."""
    input:
        card="<clean>/{view}/card.json",
        raw=fetched(value_of("{novel}/novel", within=CATALOGUE["images"])),
        item=code("images/novel", value_of("{novel}/novel", within=CATALOGUE["images"])),
        code=code_of("workflow_scripts/build_novel.py"),
    output:
        images="<study>/images/{view}/{test}/{novel}/images.npy",
        index="<study>/images/{view}/{test}/{novel}/index.parquet",
        card="<study>/images/{view}/{test}/{novel}/card.json",
    log:
        "<study>/logs/build_novel/{view}/{test}/{novel}.log",
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        entry=value_of("{novel}", within=CATALOGUE["images"]),
        n=novel_count,
        seed=config["seed"],
    script:
        "../workflow_scripts/build_novel.py"
