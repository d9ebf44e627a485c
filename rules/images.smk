"""Image sets: raw files fetched and verified, or listed; sets built from them.

INPUTS: data/{source}.dvc, the study's folders of raw files
OUTPUTS: results/images/{images}/{view}/
"""


rule fetch_images:
    """Fetch the raw files of a source and verify their bytes against the pin."""
    input:
        pin="data/{source}.dvc",
        code=code_of("workflow_scripts/fetch_images.py"),
    output:
        receipt="results/images/raw/{source}.json",
    log:
        "results/images/logs/fetch_images/{source}.log",
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(60),
    script:
        "../workflow_scripts/fetch_images.py"


rule build_images:
    """Build an image set from its raw files."""
    input:
        receipt=receipt,
        item=code(
            "images/sources",
            value_of("{images}/source", within=CATALOGUE["images"]),
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
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        entry=value_of("{images}", within=CATALOGUE["images"]),
    script:
        "../workflow_scripts/build_images.py"


rule list_images:
    """List the images of a user's folder: read, hash and decode every one."""
    input:
        item=code("images/layouts", value_of("{images}/layout", within=CATALOGUE["images"])),
        only=only,
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
    resources:
        mem_mb=growing(4000),
        runtime=growing(2 * 60),
    params:
        entry=listed,
    script:
        "../workflow_scripts/list_images.py"


rule view_images:
    """Bring the listed images of a user's folder into a view, as an image set."""
    input:
        manifest="results/images/raw/{images}/manifest.parquet",
        listed="results/images/raw/{images}/card.json",
        item=code("images/layouts", value_of("{images}/layout", within=CATALOGUE["images"])),
        only=only,
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
    resources:
        mem_mb=growing(4000),
        runtime=growing(2 * 60),
    params:
        view=value_of("{view}", within=CATALOGUE["views"]),
    script:
        "../workflow_scripts/view_images.py"
