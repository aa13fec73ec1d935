import type { Connection } from './connection.ts'
import type { RefusalReason } from './refusals.ts'

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT'
const OVERFLOW = 'HPE_HEADER_OVERFLOW'
const STATUSES: ReadonlyMap<string, string> = new Map([
  [TIMEOUT, '408 Request Timeout'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  [OVERFLOW, '431 Request Header Fields Too Large'],
])
/**
 * Mostly a browser with the cookies of neighbouring hosts, which its visitor alone can clear. In each language: the
 * headers were not read.
 */
const TOO_MANY_COOKIES = `\
Your browser sent more cookies than this server takes. Clear the cookies of this domain in your browser, then load the page again.

Votre navigateur a envoyé plus de cookies que ce serveur n’en accepte. Supprimez les cookies de ce domaine dans votre navigateur, puis rechargez la page.

Ihr Browser hat mehr Cookies gesendet, als dieser Server annimmt. Löschen Sie die Cookies dieser Domain in Ihrem Browser und laden Sie die Seite neu.

Su navegador ha enviado más cookies de las que acepta este servidor. Borre las cookies de este dominio en su navegador y vuelva a cargar la página.
`

/**
 * Refuses what is no request, or did not come in time: one answer, with words where a visitor can do something, then the connection ends. Requests
 * that came before it are answered first; where one of them is half answered nothing can be said any more.
 * @param code - of the error that Node's parser or its clock gave
 * @param headers - lines of the answer, each with its line end
 * @returns why; undefined when the client is gone
 */
export function refuseClient(
  connection: Connection,
  code: string | undefined,
  headers: string,
): RefusalReason | undefined {
  const { socket, current, latest } = connection
  if (connection.isOver) return undefined
  if (code === 'ECONNRESET' || !socket.writable) {
    connection.destroy()
    return undefined
  }
  const isInBody = latest !== undefined && !latest.complete
  const isOwnFault = current === undefined || (isInBody && latest === current.request)
  if (!isOwnFault) connection.endAfterAnswers()
  else if (current === undefined) connection.end(isInBody ? undefined : answer(code, headers))
  // Its answer has begun; only the end of the connection tells that it is cut.
  else if (current.response.headersSent) connection.destroy()
  else connection.end(answer(code, headers))
  if (code !== TIMEOUT) return 'malformed'
  return isInBody ? 'slow_body' : 'slow_headers'
}

function answer(code: string | undefined, headers: string): string {
  const status = STATUSES.get(code ?? '') ?? '400 Bad Request'
  const body = code === OVERFLOW ? TOO_MANY_COOKIES : ''
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n${headers}\r\n${body}`
}
