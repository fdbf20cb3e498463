import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { common, differences, type GoldenLine } from '../golden-line.ts'
import type { Sink } from './sink.ts'

const file = fileURLToPath(new URL('../../../reports/golden/golden.json', import.meta.url))

const writing = 'npm run lab -- judge --to golden --write'

/** Compares each run with the stored line of its service. Or writes the lines, from two runs of each service. */
export function goldenSink(write: boolean): Sink {
  const lines = new Map<string, GoldenLine>()
  return {
    each({ line }) {
      if (line === undefined) return
      const before = lines.get(line.of)
      lines.set(line.of, before === undefined ? line : common(before, line))
    },
    async end() {
      if (!write && !existsSync(file))
        return [`nothing to compare with: ${writing} at an earlier commit writes ${file}`]
      const stored: readonly GoldenLine[] = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : []
      const kept = new Map(stored.map((line) => [line.of, line]))
      const compared = (now: GoldenLine, before = kept.get(now.of)): readonly string[] =>
        before === undefined ? [`${now.of}: nothing to compare`] : differences(before, now)
      if (!write) return [...lines.values()].flatMap((now) => compared(now))
      await mkdir(dirname(file), { recursive: true })
      const all = [...new Map([...kept, ...lines]).values()].toSorted((a, b) => (a.of < b.of ? -1 : 1))
      await writeFile(file, `${JSON.stringify(all, null, 1)}\n`)
      return []
    },
  }
}
