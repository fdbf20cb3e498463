/** The folder of the compiled program, as a URL with a slash at its end; compiled where these sources never were. */
export function built(): URL

/** Where Node keeps the code that it compiles of this build. */
export function codeCache(build: URL): string

/** The bill of materials of an installation. */
export function billOfMaterials(): object
