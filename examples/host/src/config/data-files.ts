/** File of the data directory that holds the token of the admin listener. */
export const ADMIN_TOKEN_FILE = 'admin-token'
