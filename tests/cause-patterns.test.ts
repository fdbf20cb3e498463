import { settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

const page =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'

test('a gateway that refuses by itself is named for all that it breaks', async ({ reference, expect }) => {
  const service = await reference({
    intervene: ({ headers }, response) => {
      if (headers['x-version'] !== undefined) return false
      response.writeHead(404, { 'content-type': 'text/html', server: 'nginx' }).end(page)
      return true
    },
  })

  const { code, verdict, stdout } = await run([], { env: settingsFor(service) })

  const pattern = 'answers that look like those of nginx, not of the service'
  expect(new Set(verdict?.causes?.map((cause) => cause.pattern))).toEqual(new Set([pattern]))
  expect(stdout).toContain(`like it: ${pattern}`)
  expect(code).toBe(1)
})
