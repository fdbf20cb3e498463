import { escapedUnits, wellFormedJson } from '../../verdict/json-text.ts'

/** The name of the format of an evidence archive, in its manifest. A change of what a file below is called or holds makes another. */
export const bundleFormat = 'card-switch-conformance/bundle/1'

/** The files of an archive with a meaning of their own. `README.txt` is the first by the order of names. */
export const fileNames = {
  readme: 'README.txt',
  manifest: 'manifest.json',
  publicKey: 'public-key.pem',
  settings: 'settings.json',
  signature: 'manifest.sig',
  verdict: 'verdict.json',
  versions: 'versions.json',
} as const

/** So many bytes an archive has at most when it is unpacked: a verdict with 10,000 findings makes less than a third of it. */
export const mostBytes = 256 * 1024 * 1024

/** What allure-vitest and Allure call their files. */
const allureName =
  /^allure-results\/(?:[0-9a-f-]{36}-(?:(?:result|container)\.json|(?:\d{1,4}-)?attachment(?:\.[a-z0-9]{1,12})?)|environment\.properties|(?:executor|categories)\.json)$/

/** Whether a file of this name, from the reports folder, may be one of Allure's. */
export function isAllureName(name: string): boolean {
  return allureName.test(name)
}

/** The names of an archive's files sort by code units, the same on every machine. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** A file of an archive. */
export interface BundleFile {
  readonly name: string
  readonly content: Buffer
}

/** A file of an archive, from its text. */
export function textFile(name: string, text: string): BundleFile {
  return { name, content: Buffer.from(text) }
}

/** A file of an archive that holds a value as JSON, indented, with a line break at its end. */
export function jsonFile(name: string, value: unknown): BundleFile {
  return textFile(name, jsonText(value))
}

/**
 * JSON as it stands in an archive: all but printable ASCII is written as escapes, which say the same, so that nothing of a target's
 * acts on a terminal or a pipeline that shows the file. By code units: no version of Unicode makes a difference.
 */
export function jsonText(value: unknown): string {
  const text = wellFormedJson(value, 2)
    .replaceAll(/[^\n -~]/g, escapedUnits)
    .replaceAll('##', String.raw`#\u0023`)
  return `${text}\n`
}
