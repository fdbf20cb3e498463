import { parseArgs } from 'node:util'
import { endIn } from '../asked.ts'
import { freshMutants, listText, writeMutants } from './inventory.ts'

const usage = `npm run lab -- mutants [options]: lists services with one small change each, made by a program. npm run lab -- judge --of mutants judges them.
  --list    prints every mutant with its code
  --renew   writes lab/mutants/mutants.json again
`

await endIn(async () => {
  const { values } = parseArgs({
    options: { list: { type: 'boolean', default: false }, renew: { type: 'boolean', default: false } },
  })
  if (values.list === values.renew) throw new Error('expected --list or --renew')
  const { mutants } = await freshMutants()
  if (values.renew) await writeMutants(mutants)
  process.stdout.write(values.list ? await listText(mutants) : `${mutants.length} mutants\n`)
  return 0
}, usage)
