"""Image sets: raw files fetched and verified, sets built from them, sets derived from those.

INPUTS: data/{source}.dvc, the study's folders of raw files
OUTPUTS: results/images/{images}/{view}/, <study>/images/{view}/{test}/{corruption|recipe|novel}/
"""


rule fetch_images:
    """Fetch the raw files of a source and verify their bytes against the pin."""
    input:
        pin="data/{source}.dvc",
    output:
        receipt="results/images/raw/{source}.json",
    log:
        "results/images/logs/fetch_images/{source}.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/fetch_images.py"


rule build_images:
    """Build an image set from its raw files."""
    input:
        receipt=receipt,
        item=code(
            "images/sources",
            lookup(dpath="{images}/source", within=CATALOGUE["images"]),
        ),
        code=code_of("workflow_scripts/build_images.py"),
    output:
        images=f"results/images/{{images}}/{AS_STORED}/images.npy",
        index=f"results/images/{{images}}/{AS_STORED}/index.parquet",
        card=f"results/images/{{images}}/{AS_STORED}/card.json",
    log:
        "results/images/logs/build_images/{images}.log",
    wildcard_constraints:
        images=one_of(SOURCES),
    conda:
        "../environment.yml"
    params:
        entry=lookup(dpath="{images}", within=CATALOGUE["images"]),
    script:
        "../workflow_scripts/build_images.py"


rule list_images:
    """List the images of a user's folder: read, hash and decode every one."""
    input:
        item=code("images/layouts", lookup(dpath="{images}/layout", within=CATALOGUE["images"])),
        code=code_of("workflow_scripts/list_images.py"),
    output:
        manifest="results/images/raw/{images}/manifest.parquet",
        card="results/images/raw/{images}/card.json",
    log:
        "results/images/logs/list_images/{images}.log",
    wildcard_constraints:
        images=one_of(LISTED),
    conda:
        "../environment.yml"
    threads: 4
    params:
        entry=listed,
    script:
        "../workflow_scripts/list_images.py"


rule view_images:
    """Bring the listed images of a user's folder into a view, as an image set."""
    input:
        manifest="results/images/raw/{images}/manifest.parquet",
        listed="results/images/raw/{images}/card.json",
        item=code("images/layouts", lookup(dpath="{images}/layout", within=CATALOGUE["images"])),
        code=code_of("workflow_scripts/view_images.py"),
    output:
        images="results/images/{images}/{view}/images.npy",
        index="results/images/{images}/{view}/index.parquet",
        card="results/images/{images}/{view}/card.json",
    log:
        "results/images/logs/view_images/{images}/{view}.log",
    wildcard_constraints:
        images=one_of(LISTED),
    conda:
        "../environment.yml"
    threads: 4
    params:
        view=lookup(dpath="{view}", within=CATALOGUE["views"]),
    script:
        "../workflow_scripts/view_images.py"


rule corrupt_images:
    """Corrupt the study's images at five severities, seeded image by image."""
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
    params:
        family=lookup(dpath="{test}/family", within=TESTS),
        n=lookup(dpath="counts/corrupt", within=config, default=0),
        seed=config["seed"],
    script:
        "../workflow_scripts/corrupt_images.py"


rule read_published:
    """Read a corruption of a published set, for the images of the study."""
    input:
        card="<clean>/{view}/card.json",
        item=code("images/published", lookup(dpath="{test}/family", within=TESTS)),
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
    params:
        release=lookup(dpath="{test}/family", within=TESTS),
        raw=published_folder,
        n=lookup(dpath="counts/corrupt", within=config, default=0),
        seed=config["seed"],
        side=lookup(dpath="{view}/size", within=CATALOGUE["views"], default=None),
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
    params:
        n=lookup(dpath="counts/unrecognisable", within=config, default=0),
        seed=config["seed"],
    script:
        "../workflow_scripts/build_unrecognisable.py"


rule build_novel:
    """Bring images of classes that no model was trained on to the shape of the study's images."""
    input:
        card="<clean>/{view}/card.json",
        raw=fetched(lookup(dpath="{novel}/novel", within=CATALOGUE["images"])),
        item=code("images/novel", lookup(dpath="{novel}/novel", within=CATALOGUE["images"])),
        code=code_of("workflow_scripts/build_novel.py"),
    output:
        images="<study>/images/{view}/{test}/{novel}/images.npy",
        index="<study>/images/{view}/{test}/{novel}/index.parquet",
        card="<study>/images/{view}/{test}/{novel}/card.json",
    log:
        "<study>/logs/build_novel/{view}/{test}/{novel}.log",
    conda:
        "../environment.yml"
    params:
        entry=lookup(dpath="{novel}", within=CATALOGUE["images"]),
        n=lookup(dpath="counts/novel", within=config, default=0),
        seed=config["seed"],
    script:
        "../workflow_scripts/build_novel.py"
