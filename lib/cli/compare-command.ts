import { resolve } from 'node:path'
import { compared, comparisonJson, type Comparison } from '../report/compare/comparison.ts'
import { comparisonPage } from '../report/compare/comparison-page.ts'
import { comparisonMarkdown, comparisonText } from '../report/compare/sections.ts'
import { readSides } from '../report/compare/side.ts'
import { VerdictFileError } from '../verdict/read-verdict.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import type { Console } from './console.ts'

/** Compares verdicts; exits with 1 if something is worse than in the first. */
export async function compareCommand(
  {
    first,
    others,
    format,
  }: { readonly first: string; readonly others: readonly string[]; readonly format: string },
  console: Console,
): Promise<ExitCode> {
  const named = (path: string) => ({ path, file: resolve(console.cwd, path) })
  try {
    const [head, ...rest] = await readSides(named(first), others.map(named))
    const comparison = compared(head, rest)
    console.out(shown(comparison, format, console))
    return comparison.worse ? 1 : 0
  } catch (error) {
    if (!(error instanceof VerdictFileError)) throw error
    console.err(`${error.message}\n`)
    return 2
  }
}

function shown(comparison: Comparison, format: string, { colour, width }: Console): string {
  switch (format) {
    case 'json':
      return comparisonJson(comparison)
    case 'markdown':
      return comparisonMarkdown(comparison)
    case 'html':
      return comparisonPage(comparison)
    default:
      return comparisonText(comparison, { colour, width })
  }
}
