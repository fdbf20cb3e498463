// Rules of a user's own: RUN_SUITES (--suites) names the folder of this file.
import { area, caseClass, example, fuzzed, judged, rule, succeedsWith, withQuery } from 'card-switch-conformance'

/** Says what is wrong with a list of customizations, without quoting it; null if nothing is. */
function wrongIn(body) {
  const items = body?.customizations
  if (!Array.isArray(items)) return 'its body has no list of customizations'
  return items.every((item) => typeof item?.logo === 'object') ? null : 'a customization has no logo'
}

const logos = {
  id: 'acme/every-logo',
  level: 'documented',
  section: 'Acme agreement, 4.1',
  says: 'every customization of the list has a logo',
}

const tracking = {
  id: 'acme/tracking-parameters',
  level: 'implied',
  section: 'Acme agreement, 4.2',
  says: 'parameters that campaigns add to a query change no outcome',
}

export const branding = area('Acme: branding', [
  rule(logos, ({ list }) => [
    example('plain', list.request, succeedsWith(wrongIn)),
    example('german', list.request.with('accept-language', 'de'), succeedsWith(wrongIn)),
  ]),

  fuzzed(tracking, () => [
    caseClass('campaign', { weight: 1 }, [
      judged('a campaign', withQuery('utm_source=acme')),
      judged('a campaign, without a key', withQuery('utm_medium=acme'), { base: 'api-key-absent' }),
    ]),
  ]),
])
