/** The folder of the compiled program, as a URL with a slash at its end; compiled where these sources never were. */
export function built(): URL

/** The bill of materials of an installation. */
export function billOfMaterials(): object
