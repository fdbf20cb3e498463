import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { Header } from 'tar'
import { findingWith, ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { checkUnpacked, type BundleCheck, type Checking } from './check.ts'
import { byName, fileNames, textFile, type BundleFile } from './layout.ts'
import { manifestText } from './manifest.ts'
import { readTar } from './read-tar.ts'
import { sealed, type Sealing } from './seal.ts'
import { blockSize, paddingOf, tarOf, tarTime } from './tar.ts'

/** The version of the suite by which the archives of these tests are made. */
export const suite = '0.1.0'

/** A verdict with two rules, one of which is violated. */
export const smallVerdict: Verdict = verdictWith({
  verdict: 'nonconformant',
  exitCode: 1,
  because: ['authentication/api-key-missing is violated: answered 401'],
  rules: [
    ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith()] }),
    ruleWith('versioning/unknown-endpoint'),
  ],
})

/** One of Allure's results, with contents that say nothing. */
export const allureResult: BundleFile = textFile(
  'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json',
  '{}',
)

/** What is sealed, but for what is given: the small verdict, one result of Allure's, no key. */
export function sealingOf(given: Verdict = smallVerdict, changes: Partial<Sealing> = {}): Sealing {
  const text = verdictJson(given)
  // As it is read from the file: halves of characters are gone from it.
  const verdict: Verdict = JSON.parse(text)
  return {
    verdict,
    verdictBytes: Buffer.from(text),
    allure: [allureResult],
    versions: { run: { suite }, bundle: { suite, node: '20.19.0', packages: { tar: '7.5.23' } } },
    key: null,
    ...changes,
  }
}

/** The tar archive within the one that is sealed from this. */
export function tarFrom(sealing: Sealing = sealingOf()): Buffer {
  return gunzipSync(sealed(sealing).bytes)
}

/** What checking a tar archive comes to. */
export function checkOf(tar: Buffer, checking: Partial<Checking> = {}): BundleCheck {
  return checkUnpacked({ bytes: tar, wrong: null }, { key: null, suite, ...checking })
}

/** What is wrong with a tar archive; empty where it is sound. */
export function mistakesOf(tar: Buffer, checking: Partial<Checking> = {}): readonly string[] {
  const check = checkOf(tar, checking)
  return check.kind === 'wrong' ? check.mistakes : []
}

/** A tar archive with other files in it, the manifest as it was. */
export function changed(
  tar: Buffer,
  change: (files: readonly BundleFile[]) => readonly BundleFile[],
): Buffer {
  return tarOf(change(readTar(tar).files).toSorted(byName), tarTime(smallVerdict.startedAt))
}

/** A tar archive with other files in it, and a manifest that fits them: as somebody makes it who knows how. */
export function resealed(
  tar: Buffer,
  change: (files: readonly BundleFile[]) => readonly BundleFile[],
): Buffer {
  return changed(tar, (files) => {
    const others = change(files).filter(({ name }) => name !== fileNames.manifest)
    return [...others, textFile(fileNames.manifest, manifestText(others.toSorted(byName)))]
  })
}

/** Replaces the text of one file. */
export function rewritten(name: string, change: (text: string) => string) {
  return (files: readonly BundleFile[]): readonly BundleFile[] =>
    files.map((file) => (file.name === name ? textFile(name, change(file.content.toString())) : file))
}

/** Leaves out the files whose names begin so. */
export function without(...beginnings: readonly string[]) {
  return (files: readonly BundleFile[]): readonly BundleFile[] =>
    files.filter(({ name }) => !beginnings.some((beginning) => name.startsWith(beginning)))
}

/** A member of a tar archive as bytes, with whatever a header can say. */
export function member(data: ConstructorParameters<typeof Header>[0], content = ''): Buffer {
  const header = Buffer.alloc(blockSize)
  new Header({
    mode: 0o644,
    uid: 0,
    gid: 0,
    size: content.length,
    mtime: new Date(tarTime(smallVerdict.startedAt) * 1_000),
    type: 'File',
    ...data,
  }).encode(header)
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc(paddingOf(content.length))])
}

/** A tar archive with members before those that it has. */
export function preceded(tar: Buffer, ...members: readonly Buffer[]): Buffer {
  return Buffer.concat([...members, tar])
}

/** A new pair of keys. */
export function keyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ed25519')
}
