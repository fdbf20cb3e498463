import { generation } from './fuzz/generation.ts'
import { detection } from './fuzz/detection.ts'
import { loopback } from './fuzz/loopback.ts'
import { memory } from './fuzz/memory.ts'

/** Each prints its figures and says whether they reach what is asked. */
const all = { detection, generation, loopback, memory }
const wanted = process.argv.slice(2)

let reached = true
for (const [name, measure] of Object.entries(all)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stdout.write(`${name}\n`)
  reached = (await measure((line) => void process.stdout.write(`  ${line}\n`))) && reached
}
process.exitCode = reached ? 0 : 1
