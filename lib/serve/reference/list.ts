import { succeed, type Answer } from './answer.ts'

/** The path of the endpoint in the specification. */
export const listPath = '/api/customizations/list'

const customizations = [
  {
    id: 'cst_7Qm2vXk1',
    name: 'Evening',
    active: true,
    palette: { primary: '#1f2a44', secondary: '#e8b04b', background: '#0b0f1a' },
    logo: { url: 'https://assets.example/evening.svg', width: 240, height: 64 },
    locales: ['en', 'de'],
    note: null,
  },
  {
    id: 'cst_Rb84TzNe',
    name: 'Daylight',
    active: true,
    palette: { primary: '#2f6fed', secondary: '#f4f6fb', background: '#ffffff' },
    logo: { url: 'https://assets.example/daylight.svg', width: 200, height: 80 },
    locales: ['en'],
    note: 'used by the spring campaign',
  },
  {
    id: 'cst_hK0pYw5s',
    name: 'High contrast',
    active: false,
    palette: { primary: '#000000', secondary: '#ffff00', background: '#ffffff' },
    logo: { url: 'https://assets.example/contrast.svg', width: 240, height: 64 },
    locales: ['en', 'fr', 'pt'],
    note: null,
  },
] as const

const everything = succeed({ customizations, total: customizations.length })

/** The list, cut to the `limit` in the query, if any. The query must be valid. */
export function list(query = ''): Answer {
  const limits = limitsOf(query)
  const limit = Number(limits.at(-1) ?? customizations.length)
  return limit >= customizations.length
    ? everything
    : succeed({ customizations: customizations.slice(0, limit), total: customizations.length })
}

/** Whether every `limit` in the query is an integer from 1 to 100. Ignores other parameters. */
export function isValidQuery(query: string): boolean {
  return limitsOf(query).every((limit) => /^(?:[1-9]\d?|100)$/.test(limit))
}

function limitsOf(query: string): readonly string[] {
  return query === '' ? [] : new URLSearchParams(query).getAll('limit')
}
