import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramResult } from './program.ts'

/** The texts of a run's reports, as a person reads them: in one line, without tags. */
export async function reportTexts({ cwd, stdout }: ProgramResult) {
  const read = (name: string): Promise<string> => readFile(join(cwd, 'reports', name), 'utf8')
  const page = await read('index.html')
  return {
    terminal: stdout.replaceAll(/\s+/g, ' '),
    summary: (await read('summary.md')).replaceAll(/\s+/g, ' '),
    junit: await read('junit.xml'),
    history: (await read('history.jsonl')).trimEnd().split('\n').at(-1) ?? '',
    /** The quotable sentence of an acceptance, or empty. */
    cover: textOf(/<blockquote>.*?<\/blockquote>/s.exec(page)?.[0] ?? ''),
    hero: textOf(/<section class="hero.*?<\/section>/s.exec(page)?.[0] ?? ''),
  }
}

function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#34;', '"')
    .replaceAll(/\s+/g, ' ')
}
