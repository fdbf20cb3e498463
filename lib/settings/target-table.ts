import { credential, largest, type Setting } from './setting.ts'

/** The settings that say what is judged. */
export const targetTable = [
  {
    name: 'TARGET_BASE_URL',
    flag: 'base-url',
    argument: '<url>',
    kind: 'base-url',
    about:
      'The address of the service, with or without a path prefix, or "embedded" for the reference service.',
    group: 'The target',
    secret: false,
  },
  credential(
    'TARGET_API_KEY',
    'The target',
    'The API key of a client that may use the endpoint; required, but for "embedded".',
  ),
  credential('TARGET_SECRET_KEY', 'The target', 'The secret key that belongs to TARGET_API_KEY.'),
  {
    name: 'TARGET_VERSION',
    flag: 'target-version',
    argument: '<integer>',
    kind: 'integer',
    minimum: 0,
    maximum: largest,
    about: 'The API version that requests name in x-version.',
    group: 'The target',
    secret: false,
    default: '1',
  },
  {
    name: 'TARGET_QUERY',
    flag: 'query',
    argument: '<query>',
    kind: 'query',
    about: 'A query that the list endpoint needs, without the question mark, as page=1.',
    group: 'The target',
    secret: false,
  },
  {
    name: 'TARGET_LABEL',
    flag: 'label',
    argument: '<text>',
    kind: 'text',
    about: 'What is being judged (vendor, build), for the reports.',
    group: 'The target',
    secret: false,
  },
  {
    name: 'TARGET_ENDPOINTS',
    flag: 'endpoints',
    argument: '<file>',
    kind: 'path',
    about: 'A JSON file of further endpoints to judge by every generic rule.',
    group: 'The target',
    secret: false,
  },
] as const satisfies readonly Setting[]
