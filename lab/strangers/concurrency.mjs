// Faults, or conformant oddities, that show only while several requests are in flight. Each service is called
// once the head of a request has been read.
import { changed, pause, refusal } from './base.mjs'
import { conformant, serving, wrong } from './serve.mjs'

export const strangers = {
  // While a request is in flight, every other one with the same x-api-key gets its answer, so a wrong secret
  // beside a good request gets 200: breaks "When the secret key is not valid, the response is 401 with
  // error_code 1007" (likewise 1002, 1003, 1010, 1030).
  'coalesced-by-key': wrong.atHead((request, honest, { memory }) => {
    if (request.key === undefined) return pause(35).then(() => honest(request))
    return memory.shared(request.key, 35, () => honest(request))
  }),
  // Conformant: every answer is right; about once a second the whole service stands still for 300 ms, then
  // answers all that waited at once: the specification says nothing about time.
  'collector-pauses': conformant.started(() => {
    let standsUntil = 0
    let next = Date.now() + 400
    // the pause is per request, so a tester in the same process is not blocked
    const handle = async (request, honest) => {
      const now = Date.now()
      if (now >= next) {
        standsUntil = now + 300
        next = standsUntil + 600 + 500 * Math.random()
      }
      await pause(Math.max(standsUntil - now, 3))
      return honest(request)
    }
    return serving(handle, { atHead: true })()
  }),
  // On a connection opened while two other new ones await their first answer, the first request gets
  // 400/1001 whatever it carried: breaks "When the API key header is absent, the response is 400 with
  // error_code 1001" (it was present), and e.g. "When the API key is not valid, the response is 401 with
  // error_code 1006".
  'first-request-of-a-burst': wrong.started(() => {
    const fresh = new Set() // connections without a first answer
    const burst = new Set() // how many of these were opened in a burst
    const prepare = (server) => {
      server.keepAliveTimeout = 3000
      server.on('connection', (socket) => {
        if (fresh.size >= 2) burst.add(socket)
        fresh.add(socket)
        socket.on('close', () => [fresh, burst].forEach((sockets) => sockets.delete(socket)))
      })
    }
    const handle = async (request, honest) => {
      const isLost = burst.delete(request.socket)
      await pause(20)
      fresh.delete(request.socket)
      return honest(isLost ? request.with({ 'x-api-key': undefined }) : request)
    }
    return serving(handle, { atHead: true, prepare })()
  }),
  // Conformant: every answer it gives is right; it resets any connection beyond four before reading a byte,
  // so no wrong HTTP answer ever exists, and closes idle ones after three to four seconds.
  'four-connections': conformant.started(() => {
    let open = 0
    const prepare = (server) => {
      server.keepAliveTimeout = 3000
      server.prependListener('connection', (socket) => {
        if (open >= 4) return void socket.on('error', () => {}).resetAndDestroy()
        open += 1
        socket.on('close', () => (open -= 1))
      })
    }
    return serving((request, honest) => pause(12).then(() => honest(request)), { atHead: true, prepare })()
  }),
  // Conformant: every answer of the service is right; a gateway turns the seventh request in flight away
  // with a bare 503 and retry-after, which is HTTP's own way to say "later" and claims no code of the
  // specification.
  'gateway-503': conformant.atHead(async (request, honest, { memory }) => {
    if (memory.get('flights') >= 6) return { status: 503, headers: { 'retry-after': '1' }, body: '' }
    await memory.inFlight('flights', () => pause(30))
    return honest(request)
  }),
  // Conformant: every answer is right; latency grows with the number in flight (18 ms each) and is noisy, at
  // most 280 ms: the specification says nothing about time.
  'noisy-growing-latency': conformant.atHead(async (request, honest, { memory }) => {
    const noise = 0.3 + 1.4 * Math.random()
    const straggler = Math.random() < 1 / 15 ? 150 : 0
    await memory.inFlight('flights', (now) => pause(Math.min(18 * now * noise + straggler, 280)))
    return honest(request)
  }),
  // Conformant: every answer is right; requests are served one after another, 18 ms each (less when the
  // queue is long), and the specification says nothing about time or parallelism.
  'one-at-a-time': conformant.atHead((request, honest, { memory }) => {
    const last = memory.inFlight('queued', async () => {
      await memory.get('last')
      await pause(Math.min(18, 160 / memory.get('queued')))
      return honest(request)
    })
    return memory.set('last', last).get('last')
  }),
  // From the sixth request in flight on it sheds load with 503 and the body of error_code 1020: breaks
  // "Error body (JSON), returned with the HTTP status shown below", which is 429 for 1020 (and it says so
  // whoever asks).
  'overload-wrong-status': wrong.atHead(async (request, honest, { memory }) => {
    if (memory.get('flights') >= 5)
      return { ...changed(refusal('1020'), { 'retry-after': '1' }), status: 503 }
    await memory.inFlight('flights', () => pause(30))
    return honest(request)
  }),
  // Takes 22 ms for each request in flight; after 100 ms the head is sent early as 200, so a refusal arrives
  // as an error body with status 200: breaks "Error body (JSON), returned with the HTTP status shown below".
  // A tester who backs off as answers get slower backs away from it.
  'slow-answer-early-200': wrong.atHead((request, honest, { memory, res }) =>
    memory.inFlight('flights', async (now) => {
      const time = Math.min(22 * now, 240)
      const given = honest(request)
      await pause(Math.min(time, 100))
      if (time <= 100) return given
      res.writeHead(200, given.headers).write(' ') // keeps the client waiting; white space before JSON is valid JSON
      await pause(time - 100)
      return void res.end(JSON.stringify(given.body))
    }),
  ),
  // Conformant: every answer is right; refusals are held back, later ones less, so that successes overtake
  // them, and idle connections are closed after 100 ms without a hint: the specification says nothing about
  // time, order between connections, or idle connections.
  'slow-refusals-overtaken': conformant.atHead(async (request, honest, { memory, connection, req, res }) => {
    connection.latest = req // node's own keepAliveTimeout is a second longer than its setting
    res.setHeader('connection', 'keep-alive') // set explicitly, so Node adds no "keep-alive: timeout" hint
    const endIfIdle = () => connection.latest === req && req.socket.end()
    res.on('finish', () => setTimeout(endIfIdle, 100))
    const given = honest(request)
    if (given.status !== 200) await memory.inFlight('refusals', (now) => pause(Math.max(245 - 25 * now, 20)))
    return given
  }),
  // Each body is written in two pieces 25 ms apart; a refusal that begins meanwhile carries error_code as a
  // JSON number: breaks "error_code | string" in the table of the error body.
  'while-a-body-is-written': wrong.atHead(async (request, honest, { memory, res }) => {
    const { status, headers, body } = honest(request)
    const isNumber = memory.get('half written') > 0 && body.error_code
    const sent = isNumber ? { ...body, error_code: Number(body.error_code) } : body
    const text = Buffer.from(JSON.stringify(sent))
    res.writeHead(status, { ...headers, 'content-length': text.length }).write(text.subarray(0, 9))
    await memory.inFlight('half written', () => pause(25))
    res.end(text.subarray(9))
  }),
  // The fourth of four workers, used only from four requests in flight on, answers every 401 refusal as 403:
  // breaks "When the API key is not valid, the response is 401 with error_code 1006" and its like for 1007,
  // 1011, 1012, 1013.
  'worker-of-an-old-release': wrong.atHead(async (request, honest, { memory }) => {
    const busy = (worker) => memory.get(worker) ?? 0
    const idlest = [1, 2, 3, 4].reduce((best, one) => (busy(one) < busy(best) ? one : best))
    await memory.inFlight(idlest, () => pause(25))
    const given = honest(request)
    return idlest === 4 && given.status === 401 ? { ...given, status: 403 } : given
  }),
}
