import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProfileName } from '../../../lib/settings/profiles.ts'
import { ruleIds, type RuleId } from '../../../lib/specification/rules.ts'
import { credentialsOf } from '../../stacks/credentials.ts'
import { allStacks, faultsOf, folderOf, isInstalled, stacksFolder, type Stack } from '../../stacks/stack.ts'
import { ofConformant, profileNames, settingsAt, type Service, type Started } from '../service.ts'

/**
 * Decisions about stacks, based on the text of the specification. `stands` are rules that the plain service always breaks, because its
 * server cannot be fixed.
 */
const settlements: readonly { readonly stack: string; readonly stands?: readonly string[] }[] = JSON.parse(
  readFileSync(join(stacksFolder, 'settled.json'), 'utf8'),
)

/** The missed slips, with the profiles that miss them. */
const missed: Readonly<Record<string, readonly ProfileName[]>> = JSON.parse(
  readFileSync(join(stacksFolder, 'missed.json'), 'utf8'),
)

const isDemanded = (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== ''

/**
 * Services in other frameworks: as written, with the parameter of their list described, and with each of
 * their slips.
 */
export const stackServices: readonly Service[] = allStacks
  .filter((stack) => isDemanded || isInstalled(stack))
  .flatMap((stack) => {
    const stands = standingOf(stack)
    const [common, expects] = [{ of: 'stacks', over: 'sockets' } as const, { ...ofConformant, stands }]
    const described = async (): Promise<Started> => {
      const { env, ...running } = await started(stack, null)
      return { ...running, env: { ...env, TARGET_ENDPOINTS: join(stacksFolder, 'endpoints.json') } }
    }
    return [
      { ...common, name: stack.name, profiles: profileNames, expects, start: () => started(stack, null) },
      { ...common, name: `${stack.name}/described`, profiles: ['acceptance'], expects, start: described },
      ...faultsOf(stack).map(({ name: fault }): Service => {
        const name = `${stack.name}/${fault}`
        const missing = { exit: 1, stands, unnoticed: missed[name] ?? [] } as const
        const start = (): Promise<Started> => started(stack, fault)
        return { ...common, name, profiles: profileNames, expects: missing, start }
      }),
    ]
  })

function standingOf({ name }: Stack): readonly RuleId[] {
  const standing = settlements.filter(({ stack }) => stack === name).flatMap(({ stands = [] }) => stands)
  return ruleIds.filter((rule) => standing.includes(rule))
}

/** The compiled output of a stack is kept while this process runs. */
const folders: Record<string, ReturnType<typeof folderOf>> = {}

async function started(stack: Stack, fault: string | null): Promise<Started> {
  const start = await (folders[stack.name] ??= folderOf(stack))
  const clients = credentialsOf(fault ?? stack.name)
  const { permitted: target, ...others } = clients
  const { port, close } = await start(fault, clients)
  return { env: settingsAt(`http://127.0.0.1:${port}`, { target, ...others }), close }
}
