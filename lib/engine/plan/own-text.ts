import { readdirSync, readFileSync } from 'node:fs'

/** Folders whose texts a report may quote. */
const folders = 'drift engine explain generate http json judge redact settings specification text'
  .split(' ')
  .map((name) => `lib/${name}/`)
  .concat('suites/')

let known: readonly string[] | null = null

/**
 * What the program itself says: every text in quotes of its sources, whose folder is `root`. The build holds them as data, since the
 * package has no sources (bin/build.mjs).
 */
export function ownTexts(root: URL = new URL('../../../', import.meta.url)): readonly string[] {
  known ??= [...new Set(folders.flatMap((folder) => sourcesIn(new URL(folder, root)).flatMap(textsIn)))]
  return known
}

function sourcesIn(folder: URL): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(?:\.test|\.testing)\.ts$|^testing\b/.test(name))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
}

/** A comment, a regular expression (where one can begin), a text in quotes, or a sign of a template. */
const token =
  /\/\/.*|\/\*[^]*?\*\/|(?<=(?:[(,=:[!&|?{};>]|\breturn)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|[`{}]/g
/** A part of a template, up to its end or a hole. */
const part = /((?:[^`\\$]|\\[^]|\$(?!\{))*)(`|\$\{)/y
/** Names of modules are said nowhere. */
const moduleName = /^(?:\.{1,2}\/|node:)/

/** The texts in quotes of a TypeScript source, parts of templates included, in order. */
export function textsIn(source: string): readonly string[] {
  const texts: string[] = []
  /** For each open hole of a template, how many braces are open in it. */
  const holes: number[] = []
  const readPart = (from: number): number => {
    part.lastIndex = from
    const [whole = '', text = '', end] = part.exec(source) ?? []
    texts.push(text)
    if (end === '${') holes.push(0)
    return from + whole.length
  }
  token.lastIndex = 0
  for (let found = token.exec(source); found !== null; found = token.exec(source)) {
    const [sign, single, double] = found
    const text = single ?? double
    const open = holes.at(-1)
    if (text !== undefined) texts.push(text)
    else if (sign === '`') token.lastIndex = readPart(token.lastIndex)
    else if (sign === '{' && open !== undefined) holes[holes.length - 1] = open + 1
    else if (sign === '}' && open !== undefined && open > 0) holes[holes.length - 1] = open - 1
    else if (sign === '}' && open === 0) {
      holes.pop()
      token.lastIndex = readPart(token.lastIndex)
    }
  }
  return texts
    .map((text) => text.replaceAll(/\\(['"`\\$])/g, '$1'))
    .filter((text) => text.length >= shortest && !moduleName.test(text))
}

/** Minimum length of a trace of a credential, in characters: shorter texts hold none. */
const shortest = 4
