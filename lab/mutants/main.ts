import { parseArgs } from 'node:util'
import { endIn } from '../asked.ts'
import { freshMutants, writeMutants } from './inventory.ts'

const usage = `npm run lab -- mutants --renew: writes lab/mutants/mutants.json again, the list of services with one small change each, made by a
program. npm run lab -- judge --of mutants judges them.
`

await endIn(async () => {
  const { values } = parseArgs({ options: { renew: { type: 'boolean', default: false } } })
  if (!values.renew) throw new Error('expected --renew')
  const { mutants } = await freshMutants()
  await writeMutants(mutants)
  process.stdout.write(`${mutants.length} mutants\n`)
  return 0
}, usage)
