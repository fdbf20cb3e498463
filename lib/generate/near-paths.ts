/** A path that nearly equals a known one, and what was done to it. */
export interface NearPath {
  readonly path: string
  /** Continues "the path": `with a slash at its end`. */
  readonly how: string
  /** Whether it is the folder of the known path, which gateways redirect to the same with a slash, whatever stands there. */
  readonly isFolder?: true
}

/**
 * Near misses of a known path, below `/api/`, most telling first; in the end every letter changed, dropped, doubled and in the
 * other case. None holds what a firewall or a framework refuses by itself: dot segments, hidden files, endings of programs.
 */
export function nearPaths(path: string): readonly NearPath[] {
  const made = [...byForm(path), ...byLetter(path)]
  const root = rootOf(path)
  const seen = new Set([path, root])
  return made.filter((near) => {
    const isNew = !seen.has(near.path)
    seen.add(near.path)
    return isNew && near.path.startsWith(root) && !refusedByItself.test(near.path)
  })
}

/** The path with the slash before its last segment doubled, which many gateways refuse by themselves. */
export function doubledSlash(path: string): NearPath {
  const { before, last } = split(path)
  return { path: `${before}//${last}`, how: 'with the slash before its last segment doubled' }
}

/** What gateways and frameworks refuse whatever the service says of it; half a percent-encoding, too. */
const refusedByItself =
  /\/\/|\/\.|\.\.|~|;|\\|%2f|%5c|%00|%(?![0-9a-f]{2})|\.(?:php|git|env|asp|jsp|cgi|bak|sql)/i

function byForm(path: string): readonly NearPath[] {
  const { before, last } = split(path)
  return [
    { path: `${path}/`, how: 'with a slash at its end' },
    { path: `${before}/${last.toUpperCase()}`, how: 'with its last segment in upper case' },
    { path: path.slice(0, -1), how: 'without its last character' },
    { path: `${path}.json`, how: 'with .json at its end' },
    { path: `${path}/1`, how: 'with a further segment 1' },
    { path: `${before}/${encodedEnd(last)}`, how: 'with its last letter percent-encoded' },
    { path: rootOf(path) + path.slice(rootOf(path).length).toUpperCase(), how: 'in upper case' },
    { path: before, how: 'without its last segment', isFolder: true },
    { path: `${path}/${last}`, how: 'with its last segment twice' },
    { path: `${path}.html`, how: 'with .html at its end' },
    { path: `${path}s`, how: 'with an s at its end' },
  ]
}

/** An unreserved character means the same when it is percent-encoded (RFC 3986, 6.2.2.2). */
function encodedEnd(segment: string): string {
  return segment.replace(/[a-z]$/i, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
}

function byLetter(path: string): readonly NearPath[] {
  return letterPositions(path).flatMap((at) => {
    const letter = path.charAt(at)
    const instead = (text: string): string => path.slice(0, at) + text + path.slice(at + 1)
    const place = `its character ${at + 1}`
    return [
      { path: instead(letter.toLowerCase() === 'x' ? 'k' : 'x'), how: `with ${place} changed` },
      { path: instead(''), how: `without ${place}` },
      { path: instead(letter + letter), how: `with ${place} doubled` },
      { path: instead(inOtherCase(letter)), how: `with ${place} in the other case` },
    ]
  })
}

/** Where letters stand below the root, those of percent-encodings left out. */
function letterPositions(path: string): readonly number[] {
  const root = rootOf(path).length
  const plain = path.replaceAll(/%[0-9a-f]{2}/gi, '%%%')
  return Array.from(plain, (_, at) => at).filter((at) => at >= root && /[a-z]/i.test(plain.charAt(at)))
}

function inOtherCase(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
}

function rootOf(path: string): string {
  return path.startsWith('/api/') ? '/api/' : '/'
}

function split(path: string): { readonly before: string; readonly last: string } {
  const at = path.lastIndexOf('/')
  return { before: path.slice(0, at), last: path.slice(at + 1) }
}
