import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readBounded, sizeLimits } from '../../settings/user-file.ts'
import { writeReport } from './reports-folder.ts'

/** Name of the file with the digests of a run's reports, in the form of `sha256sum`. */
const digestsFile = 'run.sha256'

const sealedReports = ['index.html', 'junit.xml', 'metrics.prom', 'summary.md', 'verdict.json'] as const

/** Writes the digests of the reports in a folder, last of all; `allure` says whether its results are a part of them. Throws ReportsFolderError. */
export async function writeDigests(folder: string, { allure }: { readonly allure: boolean }): Promise<void> {
  const names = (await reportsIn(folder)).filter((name) => allure || !isResult(name))
  const lines = await Promise.all(names.map(async (name) => `${await digestOf(folder, name)}  ${name}\n`))
  await writeReport(folder, digestsFile, lines.join(''))
}

/** How the reports in a folder differ from their digests, in sentences. Throws the file system's error if there are no digests. */
export async function digestMistakes(folder: string): Promise<readonly string[]> {
  const text = (await readBounded(join(folder, digestsFile), sizeLimits.document)).toString()
  const lines = [...text.matchAll(/^([0-9a-f]{64}) {2}(.+)\n/gm)]
  const listed = new Map(lines.map(([, digest = '', name = '']) => [name, digest]))
  if (!listed.has('verdict.json') || lines.map(([line]) => line).join('') !== text) {
    return [`"${digestsFile}" is not as a run writes it`]
  }
  // vitest's reporter writes results after the run has left its reports.
  const isListed = [...listed.keys()].some(isResult)
  const there = (await reportsIn(folder)).filter((name) => isListed || !isResult(name))
  const missing = [...listed.keys()].filter((name) => !there.includes(name))
  const differing = await Promise.all(
    there.map(async (name) => {
      const due = listed.get(name)
      if (due === undefined) return [`"${name}" is not listed in "${digestsFile}": the run did not leave it`]
      return due === (await digestOf(folder, name)) ? [] : [`"${name}" was changed since the run left it`]
    }),
  )
  return [...missing.map((name) => `"${name}" is missing`), ...differing.flat()]
}

/** Names of the sealed files in a folder, by their code units. Links are none of them. */
async function reportsIn(folder: string): Promise<readonly string[]> {
  const results = join(folder, 'allure-results')
  const isFolder = await lstat(results).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  const entries = isFolder ? await readdir(results, { withFileTypes: true }) : []
  const beside = await readdir(folder, { withFileTypes: true })
  const isSealed = (name: string): boolean => sealedReports.some((report) => report === name)
  return [
    ...beside.filter((entry) => entry.isFile() && isSealed(entry.name)).map(({ name }) => name),
    ...entries
      .filter((entry) => entry.isFile() && /^[\w.-]+$/.test(entry.name))
      .map(({ name }) => `allure-results/${name}`),
  ].toSorted((one, other) => (one < other ? -1 : 1))
}

function isResult(name: string): boolean {
  return name.startsWith('allure-results/')
}

async function digestOf(folder: string, name: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(folder, name)))
    .digest('hex')
}
