import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { faults } from '../service/faults/all-faults.ts'
import type { Fault } from '../../lib/serve/reference/fault.ts'
import { startService as startReference } from '../service/start.ts'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import { variants } from '../service/variants/all-variants.ts'
import type { Variant } from '../../lib/serve/reference/variant.ts'
import { describedCards } from './described-cards.ts'
import { echoes, type Echo } from './echoes.ts'
import { profileNames } from './profile-names.ts'
import type { Job, StartedSubject, Subject } from './subject.ts'
import type { ProofTarget } from './target.ts'
import { targets } from './targets/all-targets.ts'

/** The others answer at once, and a busy machine may take its time: these would cost the usual 10 s a time. */
const neverAnswering = new Set(['inactive-endpoint-drips', 'unauthorized-client-never-answered'])

/** Everything that the program is run against. */
export const allSubjects: readonly Subject[] = [
  ...faults.map(fromFault),
  ...variants.map(fromVariant),
  ...targets.map(fromTarget),
  ...echoes.map(fromEcho),
]

/** The subject of a job; throws where there is none. */
export function subjectOf({ kind, name }: Job): Subject {
  const found = allSubjects.find((subject) => subject.kind === kind && subject.name === name)
  if (found === undefined) throw new Error(`no ${kind} is called ${name}`)
  return found
}

function fromFault({ name, about, rules, profile, inNoOther, needs, implied }: Fault): Subject {
  return {
    kind: 'fault',
    name,
    about,
    expects: {
      kind: 'caught',
      by: rules,
      from: profile ?? 'gate',
      alone: needs !== undefined,
      ...(inNoOther === undefined ? {} : { inNoOther }),
      ...(implied === undefined ? {} : { implied }),
    },
    profiles: profileNames,
    needs: needs ?? null,
    start: () =>
      startedReference(
        { faults: [name], endpoints: needs === 'described-input' ? describedCards().entries : [] },
        neverAnswering.has(name) ? { RUN_TIMEOUT_MS: '1000' } : {},
      ),
  }
}

function fromVariant({ name, about, warns = [] }: Variant): Subject {
  return {
    kind: 'variant',
    name,
    about,
    expects: {
      kind: 'conformant',
      untested: ['conventions/http-messages', 'tolerance/no-breaking-change'],
      warns,
    },
    profiles: profileNames,
    needs: null,
    start: () => startedReference({ variant: name }, {}),
  }
}

function fromTarget({ kind, name, about, exit, rules, says, profiles, start }: ProofTarget): Subject {
  return {
    kind,
    name,
    about,
    expects: { kind: 'ends', exit, rules, says },
    profiles: profiles ?? ['gate', 'acceptance'],
    needs: null,
    start,
  }
}

/** What a gate ends with is said of it, and of no other profile. */
function fromEcho({ name, about, exit, rules, start }: Echo): Subject {
  return {
    kind: 'echo',
    name,
    about,
    expects: { kind: 'ends', exit, rules, says: [] },
    profiles: ['gate'],
    needs: null,
    start,
  }
}

async function startedReference(
  options: ReferenceOptions,
  settings: Readonly<Record<string, string>>,
): Promise<StartedSubject> {
  const service = await startReference(options)
  return { env: { ...settingsOf(service), ...settings }, close: () => service.close() }
}
