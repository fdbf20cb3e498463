import { settingsOf } from '../../../lib/doors/cli/serve-command.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { startReference, type ReferenceOptions } from '../../../lib/serve/reference/service.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { faults } from '../../service/faults/all-faults.ts'
import { variants } from '../../service/variants/all-variants.ts'
import { describedCards } from '../described-cards.ts'
import { ofConformant, profileNames, type Service } from '../service.ts'

/** Faults that never answer. With the usual timeout of 10 s, which the others need on a busy machine, they would take long. */
const neverAnswering = new Set(['inactive-endpoint-drips', 'unauthorized-client-never-answered'])

/** For these faults, the first of several requests to arrive decides whether a rule fails or only warns. */
const warnedOf = new Set(['bad-request-gives-quota-back'])

/** The reference service with each fault. */
export const faultServices: readonly Service[] = faults.map(fromFault)

/** The reference service with each conformant variant. */
export const variantServices: readonly Service[] = variants.map(fromVariant)

function fromFault(fault: Fault): Service {
  const { name, rules, profile = 'gate', inNoOther, needs, implied } = fault
  // An earlier profile sends too little to show it.
  const first = profileNames.indexOf(profile)
  return {
    of: 'faults',
    name,
    expects: {
      exit: 1,
      by: rules,
      unnoticed: profileNames.filter((one, at) => at < first || (inNoOther === true && one !== profile)),
      ...(needs === undefined ? {} : { only: true }),
      ...(implied === true || warnedOf.has(name) ? { implied: true } : {}),
    },
    profiles: profileNames,
    ...(needs === undefined ? {} : { needs }),
    over: overOf(fault),
    start: async () =>
      started(
        { faults: [fault], endpoints: needs === 'described-input' ? (await describedCards()).entries : [] },
        neverAnswering.has(name) ? { RUN_TIMEOUT_MS: '1000' } : {},
      ),
  }
}

function overOf({ needs, bend }: Fault): Service['over'] {
  if (needs !== undefined) return 'program'
  return bend().connected === undefined ? 'memory' : 'sockets'
}

function fromVariant(variant: Variant): Service {
  const { name, manner, warns = [] } = variant
  const { deliver, server } = manner()
  return {
    of: 'variants',
    name,
    expects: { ...ofConformant, warns },
    profiles: profileNames,
    over: deliver === undefined && server === undefined ? 'memory' : 'sockets',
    start: () => started({ variant }),
  }
}

async function started(options: ReferenceOptions, settings: Readonly<Record<string, string>> = {}) {
  const handler = await startReference(options)
  return { env: { ...settingsOf(handler), ...settings }, close: () => handler.close(), handler }
}
