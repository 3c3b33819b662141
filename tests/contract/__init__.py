"""What existing API clients send, as recorded shapes, over real sockets; oauthlib signs, never code of ours."""
