import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { asWritten, type Verdict } from '../../verdict/verdict.ts'
import { view } from '../view.ts'
import { writeAllureResults } from './allure.ts'

/** A folder of Allure results, read back. */
type AllureFolder = ReturnType<typeof readAllure>

/** Reads a folder of Allure results. */
export function readAllure(folder: string) {
  const names = readdirSync(folder)
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const results = names
    .filter((name) => name.endsWith('-result.json'))
    .map((name): TestResult => JSON.parse(text(name)))
  return { names, results, text }
}

/** The result for a rule or for the run. Throws unless there is exactly one. */
export function resultIn({ results }: AllureFolder, id: string): TestResult {
  const [found, ...others] = results.filter(({ testCaseId }) => testCaseId === id)
  if (found === undefined || others.length > 0)
    throw new Error(`Allure does not have exactly one result for ${id}`)
  return found
}

/** The Allure results for a verdict, read back. Leaves nothing on disk. */
export function allureOf(verdict: Verdict): AllureFolder {
  const reportsDir = mkdtempSync(join(tmpdir(), 'allure-'))
  try {
    writeAllureResults(view(asWritten(verdict)), reportsDir)
    const { names, results, text } = readAllure(join(reportsDir, 'allure-results'))
    const texts = new Map(names.map((name) => [name, text(name)]))
    return { names, results, text: (name) => texts.get(name) ?? '' }
  } finally {
    rmSync(reportsDir, { recursive: true })
  }
}
