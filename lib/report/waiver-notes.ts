import { waiverName } from '../verdict/conclude.ts'
import { isPartial, type Verdict, type VerdictWaiver } from '../verdict/verdict.ts'

/** A waiver that somebody should look at, and why. The texts are as they were given: whoever shows them makes them safe. */
export interface WaiverNote {
  readonly waiver: VerdictWaiver
  /** `expired`: it covers nothing any more; `gone`: its fault is; `idle`: it covered nothing in this run. */
  readonly kind: 'expired' | 'gone' | 'idle'
  readonly says: string
}

/** The waivers that expired or covered nothing. One whose rule this run could not judge says nothing. */
export function waiverNotes({ waivers, rules, selection, profile }: Verdict): readonly WaiverNote[] {
  const judged = new Set<string>(
    rules.filter(({ status }) => status !== 'untested' && status !== 'inconclusive').map(({ id }) => id),
  )
  const isWhole = !isPartial({ selection })
  return waivers.flatMap((waiver): readonly WaiverNote[] => {
    const name = waiverName(waiver)
    if (waiver.expired) {
      return [
        { waiver, kind: 'expired', says: `${name} EXPIRED on ${waiver.expires} and covers nothing any more` },
      ]
    }
    if (waiver.used) return []
    if (waiver.gone === true) {
      const stops = profile === 'acceptance' ? '; acceptance waits for it' : ''
      return [
        {
          waiver,
          kind: 'gone',
          says: `${name} COVERED NOTHING, and its fault is gone: remove it from the file of RUN_WAIVERS${stops}`,
        },
      ]
    }
    if (waiver.rule === null ? !isWhole : !judged.has(waiver.rule)) return []
    return [
      {
        waiver,
        kind: 'idle',
        says: `${name} COVERED NOTHING in this run: remove it from the file of RUN_WAIVERS if its fault is mended`,
      },
    ]
  })
}
