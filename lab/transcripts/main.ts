import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { playedPage, playedPages } from './played.ts'

// npm run lab -- transcripts [PAGE…]: plays all pages, or these, and writes the current output of their
// commands into them.
const asked = process.argv.slice(2)
for (const page of playedPages.filter((one) => asked.length === 0 || asked.includes(one))) {
  const text = await playedPage(page)
  const times = [...text.matchAll(/^Took ([\d.]+) s\.$/gm)].map(([, seconds]) => Number(seconds))
  const seconds = times.reduce((sum, one) => sum + one, 0).toFixed(0)
  const made = `All of this took ${seconds} s with Node ${process.versions.node} on ${availableParallelism()} processors. \`npm run lab -- transcripts\` wrote it down.`
  const file = fileURLToPath(new URL(`../../${page}`, import.meta.url))
  await writeFile(file, text.replace(/(?<=<!-- made -->\n)[^]*(?=<!-- \/made -->)/, `\n${made}\n\n`))
  process.stdout.write(`${page}\n`)
}
