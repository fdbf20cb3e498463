import { installPeers, versionOf } from '../../bench/peers/load.ts'
import { markdownTable, writeMeasured } from '../../markdown.ts'
import { servicesOf } from '../all-services.ts'
import type { Seeker, SoughtBy } from '../seekers.ts'
import type { Source } from '../service.ts'
import type { Sink } from './sink.ts'

/**
 * Counts findings and false blame per tool. Writes the table into README.md if all faults and variants were
 * tested, otherwise prints it.
 */
export async function peersSink(): Promise<Sink> {
  installPeers()
  const all = await servicesOf(['faults', 'variants'])
  const looked = new Map<Source, SoughtBy[]>([
    ['faults', []],
    ['variants', []],
  ])
  return {
    each({ sought, outcome: { of, name } }) {
      if (sought === null) return
      looked.get(of)?.push(sought)
      const blaming = of === 'variants' ? Object.entries(sought).filter(([, { red }]) => red) : []
      for (const [seeker] of blaming) process.stderr.write(`${seeker} blames ${name}\n`)
    },
    async end() {
      const [faults = [], variants = []] = [looked.get('faults'), looked.get('variants')]
      const table = peersTable(faults, variants, versionOf)
      const isWhole = faults.length + variants.length === all.length
      if (!isWhole) process.stdout.write(`${table}\n`)
      else {
        const made = `Measured on ${new Date().toISOString().slice(0, 10)} by \`npm run lab -- judge --of faults,variants --to peers\`.`
        await writeMeasured('README.md', `${table}\n\n${made}`)
      }
      return []
    },
  }
}

/** The table of README.md. Requests are the mean per run. */
export function peersTable(
  faults: readonly SoughtBy[],
  variants: readonly SoughtBy[],
  version: (peer: 'newman' | 'pactum') => string,
): string {
  const red = (some: readonly SoughtBy[], seeker: Seeker): string =>
    `${some.filter((one) => one[seeker].red).length} of ${some.length}`
  const all = [...faults, ...variants]
  const row = (seeker: Seeker, says: string): readonly (string | number)[] => [
    says,
    red(faults, seeker),
    red(variants, seeker),
    Math.round(all.reduce((sum, one) => sum + one[seeker].requests, 0) / all.length),
  ]
  return markdownTable(
    ['who looks', 'faults found', 'conformant services blamed', 'requests a run'],
    [
      row('gate', 'a gate'),
      row('essential', 'a gate with `--essential`'),
      row('newman', `newman ${version('newman')}, thirty requests by hand`),
      row('pactum', `pactum ${version('pactum')}, thirty requests by hand`),
    ],
  )
}
