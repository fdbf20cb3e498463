import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAllureName, type BundleFile } from './layout.ts'

/** What of a reports folder goes into an archive besides its verdict, and what does not. */
export interface Collected {
  readonly allure: readonly BundleFile[]
  /** Names that are no reports, and stay where they are. */
  readonly leftOut: readonly string[]
}

/** Made again from the verdict, so that they agree with it whatever became of them. */
const madeAgain: ReadonlySet<string> = new Set(['verdict.json', 'index.html', 'junit.xml', 'summary.md'])

/** Reads Allure's results of a reports folder. Links are not followed: they lead to what no run wrote. */
export async function collected(folder: string): Promise<Collected> {
  const results = join(folder, 'allure-results')
  const isFolder = await lstat(results).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  const entries = isFolder ? await readdir(results, { withFileTypes: true }) : []
  const inside = entries.map((entry) => ({
    name: `allure-results/${entry.name}`,
    known: entry.isFile() && isAllureName(`allure-results/${entry.name}`),
  }))
  const beside = (await readdir(folder)).filter(
    (name) => !madeAgain.has(name) && !(isFolder && name === 'allure-results'),
  )
  const allure: BundleFile[] = []
  for (const { name, known } of inside) {
    if (known) allure.push({ name, content: await readFile(join(folder, name)) })
  }
  return {
    allure,
    leftOut: [...beside, ...inside.filter(({ known }) => !known).map(({ name }) => name)].toSorted(),
  }
}
