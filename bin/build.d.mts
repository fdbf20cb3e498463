/** The folder of the compiled program, as a URL with a slash at its end; compiled where these sources never were, after checking their types unless the caller does. */
export function built(options?: { readonly checksTypes?: boolean }): URL

/** The bill of materials of an installation. */
export function billOfMaterials(): object
