import { installPeers, versionOf } from '../../bench/peers/load.ts'
import { markdownTable, writeMeasured } from '../../markdown.ts'
import { servicesOf } from '../all-services.ts'
import type { Sought, SoughtBy } from '../seekers.ts'
import type { Sink } from './sink.ts'

/**
 * Counts findings and false blame per tool. Writes the table into README.md if all faults and variants were
 * tested, otherwise prints it.
 */
export async function peersSink(): Promise<Sink> {
  installPeers()
  const all = await servicesOf(['faults', 'variants'])
  const faults: SoughtBy[] = []
  const variants: SoughtBy[] = []
  return {
    each({ sought, outcome: { of, name } }) {
      if (sought === undefined) return
      if (of === 'faults') return void faults.push(sought)
      variants.push(sought)
      for (const [seeker, { red }] of Object.entries(sought))
        if (red) process.stderr.write(`${seeker} blames ${name}\n`)
    },
    async end() {
      const table = peersTable(faults, variants)
      const made = `Measured on ${new Date().toISOString().slice(0, 10)} by \`npm run lab -- judge --of faults,variants --to peers\`.`
      if (faults.length + variants.length < all.length) process.stdout.write(`${table}\n`)
      else await writeMeasured('README.md', `${table}\n\n${made}`)
      return []
    },
  }
}

/** The table of README.md. Requests are the mean per run. */
function peersTable(faults: readonly SoughtBy[], variants: readonly SoughtBy[]): string {
  const byHand = (peer: string): string => `${peer} ${versionOf(peer)}, thirty requests by hand`
  const seekers = [
    ['gate', 'a gate'],
    ['essential', 'a gate with `--essential`'],
    ['newman', byHand('newman')],
    ['pactum', byHand('pactum')],
  ] as const
  const rows = seekers.map(([seeker, says]) => {
    const [ofFaults, ofVariants] = [faults, variants].map((some) => some.map((one) => one[seeker]))
    const red = (some: readonly Sought[] = []) => `${some.filter((one) => one.red).length} of ${some.length}`
    const all = [...(ofFaults ?? []), ...(ofVariants ?? [])]
    const mean = Math.round(all.reduce((sum, one) => sum + one.requests, 0) / all.length)
    return [says, red(ofFaults), red(ofVariants), mean]
  })
  return markdownTable(['who looks', 'faults found', 'conformant services blamed', 'requests a run'], rows)
}
