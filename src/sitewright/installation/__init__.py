"""What a production installation consists of besides the database: settings, credentials, units and a first brand."""
