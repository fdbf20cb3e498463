import type { Verdict } from '../../verdict/verdict.ts'
import { fileNames, isAllureName, type BundleFile } from './layout.ts'
import { extracts, pages } from './made-files.ts'
import { named } from './verdict-bytes.ts'

/** What has to be known to make the files of an archive again. */
export interface Agreeing {
  /** The version of the suite that made the archive; null where that cannot be seen. */
  readonly madeBy: string | null
  /** The version of the suite that checks. */
  readonly suite: string
  readonly signed: boolean
}

/** The files that are not made of the verdict. */
const others: ReadonlySet<string> = new Set([
  fileNames.verdict,
  fileNames.versions,
  fileNames.manifest,
  fileNames.signature,
  fileNames.publicKey,
])

/** What in an archive does not say what its verdict says, or does not belong there, as sentences. */
export function agreementMistakes(
  verdict: Verdict,
  contents: ReadonlyMap<string, Buffer>,
  { madeBy, suite, signed }: Agreeing,
): readonly string[] {
  const allure = [...contents.keys()].some(isAllureName)
  let made: readonly BundleFile[]
  let read: readonly BundleFile[]
  try {
    made = extracts(verdict)
    read = pages(verdict, { madeBy: suite, signed, allure })
  } catch {
    // The schema leaves parts of a finding open; nothing that was bundled holds what cannot be shown.
    return [`"${fileNames.verdict}" holds a finding from which no report can be made`]
  }

  const comparable = madeBy === suite ? [...made, ...read] : made
  const names = new Set([...made, ...read].map(({ name }) => name))
  return [
    ...comparable.flatMap(({ name, content }) => disagreement(name, content, contents.get(name))),
    ...[...contents.keys()]
      .filter((name) => !names.has(name) && !others.has(name) && !isAllureName(name))
      .map((name) => `${named(name)} does not belong into an archive of this verdict`),
  ]
}

function disagreement(name: string, expected: Buffer, found: Buffer | undefined): readonly string[] {
  if (found === undefined) return [`${named(name)} is missing, which belongs to "${fileNames.verdict}"`]
  return found.equals(expected) ? [] : [`${named(name)} does not say what "${fileNames.verdict}" says`]
}
